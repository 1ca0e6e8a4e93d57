import { readdir } from "node:fs/promises";
import { join, sep } from "node:path";
import { JOURNAL_NAME } from "../journal/journal.ts";

/** A path on this machine: bytes, if it is not UTF-8. */
export type LocalPath = string | Buffer;

/** A file in a folder. */
export interface FolderFile {
  /** The path from the folder, with slashes. U+FFFD replaces bytes that are not UTF-8. */
  readonly name: string;
  readonly path: LocalPath;
}

/**
 * A folder's files, sorted by name; its own files first, then those of subfolders. Leaves out hidden files, and folders
 * that contain results.
 * @param isDeep includes subfolders
 */
export async function walkFolder(folder: string, isDeep: boolean): Promise<FolderFile[]> {
  const found: FolderFile[] = [];
  const ahead: FolderFile[] = [{ name: "", path: folder }];
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop()) {
    const { name: prefix, path } = at;
    const entries = (await readdir(path, { withFileTypes: true, encoding: "buffer" }))
      .map((entry) => ({ entry, name: String(entry.name), path: pathIn(path, entry.name) }))
      .filter(({ name }) => !name.startsWith("."))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (entries.some(({ name }) => name === JOURNAL_NAME)) continue;
    // A link to a folder may lead back to a folder that contains the link.
    for (const { entry, name, path: file } of entries)
      if (entry.isFile() || entry.isSymbolicLink()) found.push({ name: prefix + name, path: file });
    const folders = entries.filter(({ entry }) => entry.isDirectory());
    if (isDeep)
      for (const { name, path: inner } of folders.toReversed())
        ahead.push({ name: `${prefix}${name}/`, path: inner });
  }
  return found;
}

function pathIn(folder: LocalPath, name: Buffer): LocalPath {
  const text = String(name);
  if (typeof folder === "string" && Buffer.from(text).equals(name)) return join(folder, text);
  return Buffer.concat([Buffer.from(folder), Buffer.from(sep), name]);
}
