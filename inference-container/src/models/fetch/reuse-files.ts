/** Takes the embedded model's files from the folder of another version that has the same. */
import { copyFile, link, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BuiltinManifest } from "../builtin/manifest.ts";
import { ModelFolderError } from "../folder-error.ts";
import { checkFiles } from "../folder.ts";
import { addTemplate } from "./build-folder.ts";

/**
 * Fills `folder` from a whole folder of another version beside it, by hard links where the file system has them: a
 * version that changes the manifest alone needs no download.
 * @returns that folder's path; undefined if there is none with the same files, and `folder` is empty
 */
export async function reuseFiles(
  root: string,
  folder: string,
  manifest: BuiltinManifest,
): Promise<string | undefined> {
  const versions = (await readdir(root)).filter((name) => name.startsWith(`${manifest.id}-`));
  for (const version of versions.toSorted()) {
    const other = join(root, version);
    if (!(await hasFiles(other, manifest))) continue;
    for (const { name } of manifest.files) {
      const [from, to] = [join(other, name), join(folder, name)];
      await link(from, to).catch(() => copyFile(from, to));
    }
    await rm(join(folder, manifest.golden.picture), { force: true });
    await addTemplate(folder, manifest);
    return other;
  }
  return undefined;
}

async function hasFiles(folder: string, manifest: BuiltinManifest): Promise<boolean> {
  try {
    await checkFiles(folder, manifest.files, { digests: true });
    return true;
  } catch (error) {
    if (error instanceof ModelFolderError) return false;
    throw error;
  }
}
