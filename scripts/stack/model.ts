import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Failure } from "../shared/command-line.ts";
import type { Mark } from "../shared/marked-processes.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

const TIDY_UP_MS = 300;

/**
 * The folder of the model to serve: MODEL_FOLDER where it is set, else the embedded one, fetched at the first use.
 * The fetch is a process of its own, so that Ctrl-C ends it at once, and its progress bar has the terminal.
 */
export async function ensureModel(mark: Mark, signal: AbortSignal): Promise<string> {
  const chosen = process.env["MODEL_FOLDER"];
  if (chosen !== undefined && chosen !== "") return chosen;
  signal.throwIfAborted();
  const child = spawn(process.execPath, [join(PROJECT_ROOT, "scripts", "stack", "fetch-model.ts")], {
    env: { ...process.env, ...mark },
    stdio: ["ignore", "pipe", "inherit"],
  });
  // Ctrl-C reaches the child by itself and it tidies up: a second signal at once would cut that short.
  const end = (): void => void setTimeout(() => child.kill("SIGTERM"), TIDY_UP_MS);
  signal.addEventListener("abort", end, { once: true });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [folder, code] = await Promise.all([text(child.stdout), ended]);
  signal.removeEventListener("abort", end);
  signal.throwIfAborted();
  if (code !== 0) throw new Failure("The model could not be fetched; the reason stands above.");
  return folder.trim();
}
