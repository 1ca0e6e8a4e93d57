/** Makes sure that the embedded model's folder is complete on this machine. */
import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Output } from "../../progress-bar.ts";
import { BuiltinManifest } from "../builtin/manifest.ts";
import { ModelFolderError } from "../errors.ts";
import { checkFiles, MANIFEST_NAME, readManifest } from "../folder.ts";
import { addTemplate, buildFolder, TEMPLATE } from "./build-folder.ts";
import { buildFast, fastManifest } from "./fast.ts";
import { homedir } from "node:os";
import { linkFile, moveIntoPlace } from "./folders.ts";

const STAGING_PREFIX = ".builtin-";
/** Tarballs that a run has not used yet. */
const DOWNLOADS = ".downloads";
const STALE_MS = 24 * 60 * 60 * 1000;

export interface EnsureOptions {
  /** The folder that holds model folders; by default MODEL_DIR or the user's cache folder. */
  readonly root?: string;
  /** Receives the messages and the progress bar. */
  readonly output?: Output;
}

/** The embedded models by their names. */
const EMBEDDED = { builtin: ensureBuiltin, "builtin-fast": ensureFast };
export type EmbeddedName = keyof typeof EMBEDDED;
export const EMBEDDED_NAMES = Object.keys(EMBEDDED);

export const isEmbedded = (name: string): name is EmbeddedName => Object.hasOwn(EMBEDDED, name);

export const ensureEmbedded = (name: EmbeddedName, options: EnsureOptions = {}): Promise<string> =>
  EMBEDDED[name](options);

/** The expected state of a folder. */
interface Wanted {
  readonly manifest: BuiltinManifest;
  /** The bytes of its `manifest.json`. */
  readonly text: string;
}

async function wantedBuiltin(): Promise<Wanted> {
  const manifest = await readManifest(TEMPLATE, BuiltinManifest);
  return { manifest, text: await readFile(join(TEMPLATE, MANIFEST_NAME), "utf8") };
}

/**
 * Downloads and converts the embedded model's parts if its folder is missing or damaged.
 * @returns the folder's path. The folder appears by one rename, so neither a broken download nor a second process
 * leaves half a folder.
 * @throws DownloadError or ModelFolderError with a sentence on what to do
 */
export async function ensureBuiltin(options: EnsureOptions = {}): Promise<string> {
  const wanted = await wantedBuiltin();
  return ensureFolder(wanted, options, async (staging, folder, fault, output) => {
    const other = await reuseFiles(parentOf(options), staging, wanted.manifest);
    if (other === undefined) {
      output.write(`${fault} Downloading the embedded model once, into ${folder}.\n`);
      await buildFolder(staging, join(parentOf(options), DOWNLOADS), wanted.manifest, output);
    } else output.write(`${fault} The files in ${other} are the same; nothing to download.\n`);
  });
}

/**
 * Makes the embedded model's faster variant from the embedded model's folder.
 * @returns the path of the variant's folder
 * @throws as `ensureBuiltin`
 */
async function ensureFast(options: EnsureOptions = {}): Promise<string> {
  const from = await ensureBuiltin(options);
  const { manifest: builtin } = await wantedBuiltin();
  const manifest = fastManifest(builtin);
  const wanted = { manifest, text: JSON.stringify(manifest, null, 2) };
  return ensureFolder(wanted, options, async (staging, folder, fault, output) => {
    output.write(`${fault} Making its faster variant, in ${folder}.\n`);
    await buildFast(from, staging, builtin);
    await writeFile(join(staging, MANIFEST_NAME), wanted.text);
  });
}

const parentOf = ({ root = modelsRoot() }: EnsureOptions): string => root;

/** Lets `build` fill a folder in another place, if it is missing or damaged. @returns the folder's path */
async function ensureFolder(
  { manifest, text }: Wanted,
  options: EnsureOptions,
  build: (staging: string, folder: string, fault: string, output: Output) => Promise<void>,
): Promise<string> {
  const { output = process.stderr } = options;
  const parent = parentOf(options);
  const folder = join(parent, `${manifest.id}-${manifest.version}`);
  const fault = await findFault(folder, manifest);
  if (fault === undefined) {
    await refreshManifest(folder, text);
    output.write(`The embedded model is in ${folder}; nothing to download.\n`);
    return folder;
  }
  await mkdir(parent, { recursive: true });
  await sweep(parent);
  const staging = await mkdtemp(join(parent, STAGING_PREFIX));
  const removeSignalHandlers = removeOnSignal(staging);
  try {
    await build(staging, folder, fault, output);
    await checkFiles(staging, manifest.files, { digests: true });
    await swapIn(staging, folder, manifest);
  } finally {
    removeSignalHandlers();
    await rm(staging, { recursive: true, force: true });
  }
  output.write(`The embedded model is ready in ${folder}.\n`);
  return folder;
}

/** The reason why a folder can't be used, as a sentence; undefined if it is complete. */
async function findFault(folder: string, manifest: BuiltinManifest): Promise<string | undefined> {
  const present = await stat(folder).catch(() => undefined);
  if (present === undefined) return "The embedded model is not on this machine yet.";
  try {
    await checkFiles(folder, manifest.files, { digests: true });
    return undefined;
  } catch (error) {
    if (error instanceof ModelFolderError) return error.message;
    throw error;
  }
}

/** Removes the half-finished folder when a signal stops the process. @returns a function that undoes this */
function removeOnSignal(staging: string): () => void {
  const handler = (signal: NodeJS.Signals): void => {
    undo();
    rmSync(staging, { recursive: true, force: true });
    process.kill(process.pid, signal);
  };
  const undo = (): void => {
    process.off("SIGINT", handler);
    process.off("SIGTERM", handler);
  };
  process.on("SIGINT", handler);
  process.on("SIGTERM", handler);
  return undo;
}

/** The project's manifest replaces the folder's: a setting in it may change without any file changing. */
async function refreshManifest(folder: string, expected: string): Promise<void> {
  const path = join(folder, MANIFEST_NAME);
  if ((await readFile(path, "utf8").catch(() => "")) === expected) return;
  const fresh = `${path}.${process.pid}`;
  await writeFile(fresh, expected);
  await rename(fresh, path);
}

/** Moves the new folder into place and replaces a damaged one. Keeps a folder that another process finished first. */
async function swapIn(staging: string, folder: string, manifest: BuiltinManifest): Promise<void> {
  if ((await findFault(folder, manifest)) === undefined) return;
  await moveIntoPlace(staging, folder).catch(async (error: unknown) => {
    if ((await findFault(folder, manifest)) !== undefined) throw error;
  });
}

/** Removes the remains of interrupted runs; a younger folder may still be in use. */
async function sweep(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith(STAGING_PREFIX)) continue;
    const { mtimeMs } = await stat(join(root, name)).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > STALE_MS) await rm(join(root, name), { recursive: true, force: true });
  }
}

/** MODEL_DIR, else `segmentation-models` in the user's cache folder (XDG_CACHE_HOME or ~/.cache). */
export function modelsRoot(env: NodeJS.ProcessEnv = process.env): string {
  if (env["MODEL_DIR"]) return env["MODEL_DIR"];
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "segmentation-models");
}

/**
 * Fills `folder` from a complete folder of another version, by hard links where the file system has them: a version
 * that changes the manifest alone needs no download.
 * @returns that folder's path; undefined if there is none with the same files, and `folder` is empty
 */
async function reuseFiles(
  root: string,
  folder: string,
  manifest: BuiltinManifest,
): Promise<string | undefined> {
  const versions = (await readdir(root)).filter((name) => name.startsWith(`${manifest.id}-`));
  for (const version of versions.toSorted()) {
    const other = join(root, version);
    if ((await findFault(other, manifest)) !== undefined) continue;
    for (const { name } of manifest.files) await linkFile(join(other, name), join(folder, name));
    await rm(join(folder, manifest.golden.picture), { force: true });
    await addTemplate(folder, manifest);
    return other;
  }
  return undefined;
}
