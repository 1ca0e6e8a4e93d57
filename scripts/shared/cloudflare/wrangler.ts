import { execFile } from "node:child_process";
import { join } from "node:path";
import { z } from "zod";
import { Failure } from "../command-line.ts";
import { PROJECT_ROOT } from "../root.ts";

/** Wrangler's command line as a Node script. */
const WRANGLER = join(PROJECT_ROOT, "node_modules", "wrangler", "bin", "wrangler.js");

/** Settings that keep Wrangler from asking questions and from contacting other machines. */
export const QUIET_WRANGLER = {
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_SEND_ERROR_REPORTS: "false",
  WRANGLER_HIDE_BANNER: "true",
  WRANGLER_WRITE_LOGS: "false",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_NO_SKILLS_UPDATE_PROMPTS: "true",
  WRANGLER_DISABLE_EXPERIMENTAL_WARNING: "true",
  X_LOCAL_OBSERVABILITY: "false",
  X_LOCAL_EXPLORER: "false",
} as const;

/** Set for a Wrangler that this project runs: its configuration has been checked. */
export const CHECKED = "SEGMENTATION_CHECKED";

const ErrorAnswer = z.object({ error: z.object({ text: z.string() }) });

/** Returns the message in the output of a failed command; with --json it is wrapped in an object. */
function sentenceIn(output: string): string {
  try {
    return ErrorAnswer.parse(JSON.parse(output)).error.text;
  } catch {
    return output;
  }
}

/** A failed Wrangler command, with its output. */
export class WranglerFailure extends Failure {
  readonly output: string;

  constructor(what: string, output: string) {
    super(`${what} failed: ${sentenceIn(output.trim())}`);
    this.output = output;
  }
}

/**
 * Runs one Wrangler command and returns its standard output. @throws WranglerFailure with its output
 * @param input the command's standard input; empty by default
 * @param script Wrangler's, or a test's fake
 */
export async function runWrangler(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal?: AbortSignal,
  input = "",
  script = WRANGLER,
): Promise<string> {
  const options = {
    cwd: PROJECT_ROOT,
    env: { ...process.env, ...QUIET_WRANGLER, [CHECKED]: "yes", ...env },
    maxBuffer: 64 * 1024 * 1024,
    ...(signal && { signal }),
  };
  return await new Promise<string>((resolve, reject) => {
    const child = execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (signal?.aborted) reject(signal.reason);
      else reject(new WranglerFailure(`wrangler ${args.slice(0, 2).join(" ")}`, `${stdout}\n${stderr}`));
    });
    // A command may end without reading it.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}
