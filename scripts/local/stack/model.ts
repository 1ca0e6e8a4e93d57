import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { isEmbedded, modelsRoot } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { MANIFEST_NAME } from "../../../inference-container/src/models/folder.ts";
import { CATALOGUE } from "../../models/install/catalogue.ts";
import { Failure } from "../../shared/command-line.ts";
import type { Mark } from "../../shared/marked-processes.ts";
import { PROJECT_ROOT } from "../../shared/root.ts";

const TIDY_UP_MS = 300;

/** A folder's path, or its name among this machine's model folders. @throws Failure if there is no model */
function folderOf(given: string): string {
  const folder = [given, join(modelsRoot(), given)].find((path) => existsSync(join(path, MANIFEST_NAME)));
  if (folder !== undefined) return folder;
  throw new Failure(
    CATALOGUE.some(({ name }) => name === given)
      ? `The model ${given} is not installed. Install it: npm run models -- install ${given}`
      : `MODEL_FOLDER is "${given}", where no model is: there is no ${MANIFEST_NAME}. npm run models -- list shows the models on this machine.`,
  );
}

/**
 * Returns the folder of the model to serve: MODEL_FOLDER, which may be a name that `npm run models -- list` lists. Downloads the
 * embedded model, which is the default, and its variant `builtin-fast` at the first use. The download is a separate process, so
 * that Ctrl-C ends it at once and its progress bar has the terminal.
 */
export async function ensureModel(mark: Mark, signal: AbortSignal): Promise<string> {
  const chosen = process.env["MODEL_FOLDER"] || "builtin";
  if (!isEmbedded(chosen) || existsSync(chosen)) return folderOf(chosen);
  signal.throwIfAborted();
  const child = spawn(
    process.execPath,
    [join(PROJECT_ROOT, "inference-container", "src", "models", "fetch-main.ts"), chosen],
    {
      env: { ...process.env, ...mark },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  // Ctrl-C also reaches the child, which then cleans up; an immediate second signal would interrupt that.
  const end = (): void => void setTimeout(() => child.kill("SIGTERM"), TIDY_UP_MS);
  signal.addEventListener("abort", end, { once: true });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [folder, code] = await Promise.all([text(child.stdout), ended]);
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  if (code !== 0) throw new Failure("The model could not be downloaded. The reason is above.");
  return folder.trim();
}
