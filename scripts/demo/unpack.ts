import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { unzipSync } from "fflate";

/** Unpacks a zip into a folder and returns the files' names. @throws Error if an entry points outside the folder */
export async function unpack(zip: Uint8Array, folder: string): Promise<string[]> {
  const entries = Object.entries(unzipSync(zip)).filter(([name]) => !name.endsWith("/"));
  for (const [name, bytes] of entries) {
    const path = resolve(folder, name);
    if (relative(folder, path).split(sep)[0] === "..")
      throw new Error(`The archive's entry ${name} points outside the folder.`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(join(path), bytes);
  }
  return entries.map(([name]) => name);
}
