/**
 * Begins the download of the embedded model while npm installs the packages. The command checks and completes it
 * (inference-container/src/models/fetch). Plain JavaScript for Node 20, because it runs before there are packages.
 */
import { execFile } from "node:child_process";
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";

const FOLDER = new URL("../inference-container/src/models/fetch/", import.meta.url);

/** The folder of models and the names of its downloads are those of ensure-builtin.ts and download.ts. */
const modelsRoot = ({ MODEL_DIR, XDG_CACHE_HOME } = process.env) =>
  MODEL_DIR || join(XDG_CACHE_HOME || join(homedir(), ".cache"), "segmentation-models");

/** Writes the arriving bytes until the signal. Returns early if another model is wanted, or one is there, or the registry refuses. */
export async function prefetchModel(signal) {
  const root = modelsRoot();
  const { MODEL_FOLDER, INFERENCE_URL } = process.env;
  if (MODEL_FOLDER || INFERENCE_URL) return;
  if (existsSync(root) && readdirSync(root).some((name) => name.startsWith("builtin-"))) return;
  try {
    const { stdout } = await promisify(execFile)("npm", ["config", "get", "registry"], { signal });
    const downloads = join(root, ".downloads");
    mkdirSync(downloads, { recursive: true });
    for (const { name, version } of JSON.parse(readFileSync(new URL("packages.json", FOLDER), "utf8"))) {
      const answer = await fetch(new URL(`${name}/-/${basename(name)}-${version}.tgz`, stdout.trim()), {
        signal,
      });
      if (!answer.ok) return;
      const path = join(downloads, `${name.replaceAll("/", "+")}-${version}.tgz`);
      // A file that is there belongs to an interrupted run, which the command resumes.
      await pipeline(answer.body, createWriteStream(path, { flags: "wx" }), { signal });
    }
  } catch {
    // The command downloads again, and says why it can't.
  }
}
