import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { codeOf } from "../error-parts.ts";

/** Writes a file in one step: no reader sees half of it. */
export async function replaceFile(path: string, text: string, mode = 0o666): Promise<void> {
  const fresh = `${path}.${randomBytes(4).toString("hex")}`;
  await writeFile(fresh, text, { mode });
  await rename(fresh, path);
}

/** Writes a file in one step, readable only by its owner. */
export const writePrivateFile = (path: string, text: string): Promise<void> => replaceFile(path, text, 0o600);

/** Reads a file; null if it does not exist. */
export async function readIfPresent(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}
