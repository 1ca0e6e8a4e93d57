import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { JOURNAL_NAME } from "../journal/journal.ts";

/**
 * The paths of a folder's files from the folder, with slashes, by name; those of its folders after its own. Hidden ones are
 * left out, and folders that have results. @param isDeep whether it looks into folders below
 */
export async function walkFolder(folder: string, isDeep: boolean): Promise<string[]> {
  const found: string[] = [];
  const ahead = [""];
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    const entries = (await readdir(join(folder, at), { withFileTypes: true }))
      .filter(({ name }) => !name.startsWith("."))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (entries.some(({ name }) => name === JOURNAL_NAME)) continue;
    const prefix = at === "" ? "" : `${at}/`;
    // A link to a folder may lead back to where it lies.
    for (const entry of entries)
      if (entry.isFile() || entry.isSymbolicLink()) found.push(prefix + entry.name);
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => prefix + name);
    if (isDeep) ahead.push(...folders.toReversed());
  }
  return found;
}
