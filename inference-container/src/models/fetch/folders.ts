import { copyFile, link, rename, rm } from "node:fs/promises";

/**
 * Renames a finished folder to its final name, and removes the folder that had that name. If that fails, the old folder
 * keeps the name.
 */
export async function moveIntoPlace(finished: string, folder: string): Promise<void> {
  const aside = `${finished}-replaced`;
  await rename(folder, aside).catch(() => undefined);
  try {
    await rename(finished, folder);
  } catch (error) {
    await rename(aside, folder).catch(() => undefined);
    throw error;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Gives a folder a file of another one, as a hard link where the file system has them. */
export async function linkFile(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
