/** A model folder on disk: reads its manifest and checks its files against it. */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { messageOf } from "../errors.ts";
import { ModelFolderError } from "./errors.ts";
import type { ManifestFile } from "./manifest.ts";

export const MANIFEST_NAME = "manifest.json";
const MANIFEST_MAX_BYTES = 1_000_000;
/** The ending of a graph's weight files, as exporters name them. */
export const SIDECAR = /[._]data$/;

/**
 * Reads and checks a folder's manifest.
 * @param name of another manifest in the folder
 * @throws ModelFolderError naming the folder or the wrong field
 */
export async function readManifest<S extends z.ZodType>(
  folder: string,
  schema: S,
  name = MANIFEST_NAME,
): Promise<z.output<S>> {
  const path = join(folder, name);
  const { size } = await stat(path).catch(() => {
    throw new ModelFolderError(`There is no model in ${folder}: it has no ${name}.`);
  });
  if (size > MANIFEST_MAX_BYTES)
    throw new ModelFolderError(
      `${path} is ${size} bytes long; a manifest has at most ${MANIFEST_MAX_BYTES}.`,
    );
  const parsed = schema.safeParse(parseJson(await readFile(path, "utf8"), path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new ModelFolderError(`${path} is wrong at "${issue?.path.join(".")}": ${issue?.message}.`);
}

/**
 * Checks that every file of the manifest exists with its size, and with its digest if `digests` is set.
 * @throws ModelFolderError naming the first file that is missing or differs
 */
export async function checkFiles(
  folder: string,
  files: readonly ManifestFile[],
  { digests }: { readonly digests: boolean },
): Promise<void> {
  for (const { name, size, sha256 } of files) {
    const found = await stat(join(folder, name)).catch(() => {
      throw new ModelFolderError(`The model folder ${folder} lacks the file ${name}.`);
    });
    if (found.size !== size)
      throw new ModelFolderError(
        `${name} in ${folder} is ${found.size} bytes long; the manifest says ${size}.`,
      );
    if (digests && (await fileDigest(join(folder, name))) !== sha256)
      throw new ModelFolderError(`${name} in ${folder} is damaged: its SHA-256 is not the manifest's.`);
  }
}

/**
 * Checks that the manifest lists all weight files. They are part of a graph: an unlisted one would be loaded unchecked.
 * @throws ModelFolderError naming the first unlisted file
 */
export async function checkSidecars(folder: string, files: readonly ManifestFile[]): Promise<void> {
  for (const name of await readdir(folder))
    if (SIDECAR.test(name) && !files.some((file) => file.name === name))
      throw new ModelFolderError(`${name} in ${folder} is not listed in the manifest's files.`);
}

/** SHA-256 of a file, hex. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ModelFolderError(`${path} is not JSON: ${messageOf(error)}.`);
  }
}
