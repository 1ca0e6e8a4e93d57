import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { ModelFolderError } from "../../inference-container/src/models/errors.ts";
import { checkFiles, readManifest } from "../../inference-container/src/models/folder.ts";
import { Manifest } from "../../inference-container/src/models/manifest.ts";
import { sizeOf } from "../../inference-container/src/models/fetch/resume.ts";
import { codeOf } from "../shared/error-parts.ts";

/** A folder with a model, complete or not. */
export interface ListedFolder {
  readonly folder: string;
  /** Undefined if the manifest cannot be read. */
  readonly model?: ListedModel;
  /** The missing or wrong part; undefined if every file exists and has its size. */
  readonly fault?: string;
}

interface ListedModel {
  readonly id: string;
  readonly version: string;
  readonly family: string;
  /** The licenses of the weights, without repetitions. */
  readonly licences: readonly string[];
  /** The total size of the manifest's existing files. */
  readonly bytes: number;
}

/** The model folders in `root`, sorted by name; empty if `root` does not exist. Digests are not compared: loading does that. */
export async function listModels(root: string): Promise<ListedFolder[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  const names = entries.filter(({ name }) => !name.startsWith(".")).map(({ name }) => name);
  const listed: ListedFolder[] = [];
  for (const name of names.toSorted()) {
    const folder = join(root, name);
    const found = await stat(folder).catch(() => undefined);
    if (found?.isDirectory() === true) listed.push(await look(folder));
  }
  return listed;
}

async function look(folder: string): Promise<ListedFolder> {
  let model: ListedModel | undefined;
  try {
    const manifest = await readManifest(folder, Manifest);
    const { id, version, family, licences, files } = manifest;
    const sizes = await Promise.all(files.map(({ name }) => sizeOf(join(folder, name))));
    model = {
      id,
      version,
      family,
      licences: [...new Set(licences.map(({ weights }) => weights))],
      bytes: sizes.reduce((sum, size) => sum + size, 0),
    };
    await checkFiles(folder, files, { digests: false });
    return { folder, model };
  } catch (error) {
    if (!(error instanceof ModelFolderError)) throw error;
    return { folder, ...(model !== undefined && { model }), fault: error.message };
  }
}
