import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** The results in an output folder: the digest of each file by its path, without the command line's own files. */
export async function resultsIn(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith("segmentation-journal"))
    .map((entry) => join(entry.parentPath, entry.name));
  const digests = paths.toSorted().map(async (path) => {
    const digest = createHash("sha256").update(await readFile(path));
    return [path.slice(folder.length + 1), digest.digest("hex")] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}
