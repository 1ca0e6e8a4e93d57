/** Where model folders are kept on this machine. */
import { homedir } from "node:os";
import { join } from "node:path";

/** MODEL_DIR, else `segmentation-models` in the user's cache folder (XDG_CACHE_HOME or ~/.cache). */
export function modelsRoot(env: NodeJS.ProcessEnv = process.env): string {
  if (env["MODEL_DIR"]) return env["MODEL_DIR"];
  return join(env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "segmentation-models");
}
