import { existsSync, renameSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describeFolder, type FileTemplate } from "../../inference-container/src/models/describe-folder.ts";
import { ModelFolderError } from "../../inference-container/src/models/errors.ts";
import { MANIFEST_NAME } from "../../inference-container/src/models/folder.ts";
import { Failure } from "../shared/command-line.ts";
import { codeOf } from "../shared/error-parts.ts";

/** The folder of the families' templates and pages, from the project's root. */
export const MODELS = join("inference-container", "models");

/** The recognized template and the written values, for people. */
export interface Description {
  readonly manifest: string;
  /** The template's description. */
  readonly recognised: string;
  readonly filledIn: readonly string[];
  /** The folder's graphs that no template takes together with the others. */
  readonly unused?: readonly string[];
}

/** The names of a folder's files. @throws Failure if there is no folder, or it has a manifest and `force` is false */
export async function filesToDescribe(folder: string, force: boolean): Promise<string[]> {
  const files = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") throw new Failure(`There is no folder ${folder}.`);
    if (codeOf(error) === "ENOTDIR")
      throw new Failure(`${folder} is a file. Give the folder that contains it.`);
    throw error;
  });
  if (files.includes(MANIFEST_NAME) && !force)
    throw new Failure(`${join(folder, MANIFEST_NAME)} already exists. Use --force to overwrite it.`);
  return files;
}

/**
 * Writes a folder's manifest from a filled-in template, with the sizes and digests of the files, and returns its path.
 * @throws Failure naming a missing file, or if another process has written a manifest and `force` is false
 */
export async function writeManifest(folder: string, template: FileTemplate, force: boolean): Promise<string> {
  const path = join(folder, MANIFEST_NAME);
  const described = await describeFolder(folder, template).catch((error: unknown) => {
    if (!(error instanceof ModelFolderError)) throw error;
    throw new Failure(
      `${error.message} See what belongs in the folder: ${join(MODELS, String(template["family"]), "README.md")}`,
    );
  });
  if (existsSync(path) && !force)
    throw new Failure(`${path} was created in the meantime. Use --force to overwrite it.`);
  // In one step, so that a signal leaves no partial file.
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify(described, null, 2)}\n`);
  renameSync(fresh, path);
  return path;
}
