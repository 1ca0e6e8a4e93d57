import { DEFAULT_CONFIG } from "../../shared/cloudflare/configuration.ts";
import { flags, readArguments, texts, usageError } from "../../shared/command-line.ts";
import { isFolderLocked } from "../../shared/state/folder-lock.ts";
import { readIfPresent } from "../../shared/state/private-file.ts";
import { startStack } from "../../local/stack/start-stack.ts";
import { StackAddress, stateFolder, type StateFolder } from "../../shared/state/state-folder.ts";
import { isVerified, verificationText, withProgress } from "./print.ts";
import type { Outcome } from "./row.ts";
import { ROWS } from "./run.ts";
import { verifyService } from "./service.ts";

const SEE = "npm run verify -- --help";

export const VERIFY_HELP = `Walks through everything that differs between a laptop and the real platform, and says what is not as the
service assumes, with what to do. It takes some six minutes, costs at most 200 units and deletes what it made.

  SEGMENTATION_API_KEY=sk_live_… npm run verify -- --url https://segmentation.example.com
  npm run verify -- --local     the local stack, in its short form: the one that runs in STATE_DIR, else a new one

  SEGMENTATION_API_KEY an API key of a paid account, in the environment; or --key KEY, which other processes can see
  --webhook-url URL    an address of yours that answers POST requests with 2xx
  --import-url URL     a picture or video of 50 MB or more on the Internet
  --protected-url URL  a picture on a host of the service's zone that only your firewall or Access protects
  --only ROW           only this row; may be repeated. The rows: ${ROWS.map(({ name }) => name).join("; ")}
  --config FILE        as for npm run deploy: names the database, which is asked if Wrangler is logged in
  --json               print JSON

Exit code 0 if nothing is wrong, even if a row could not be tried; 1 if a row is wrong; 2 if the command line is; 130 after
Ctrl-C, which also deletes what was made.
The last row fills the account's rate limit: its next requests get 429 for a minute.
`;

/** Reads the command line. @throws Failure, a usage error */
export function parseVerifyArguments(args: readonly string[]) {
  const { values } = readArguments(
    "verify",
    args,
    {
      ...texts("url", "key", "webhook-url", "import-url", "protected-url"),
      only: { type: "string", multiple: true },
      config: { type: "string", default: DEFAULT_CONFIG },
      ...flags("local", "json"),
    },
    false,
  );
  const { url, local = false, only, help } = values;
  if (help) return values;
  if (local === (url !== undefined)) throw usageError(`Give either --url or --local.\nSee: ${SEE}`);
  for (const name of ["url", "webhook-url", "import-url", "protected-url"] as const) {
    const given = values[name];
    if (given !== undefined && !/^https?:\/\/[^/]/.test(given))
      throw usageError(`--${name} must be a URL, not ${given}.`);
  }
  const unknown = only?.find((name) => !ROWS.some((row) => row.name === name));
  if (unknown !== undefined) throw usageError(`There is no row "${unknown}".\nSee: ${SEE}`);
  return values;
}

/** Verifies a local stack: the one that runs in STATE_DIR, or one that is started for this and stopped again. */
async function withLocalStack<T>(
  signal: AbortSignal,
  say: (sentence: string) => void,
  use: (stack: StackAddress, state: StateFolder) => Promise<T>,
): Promise<T> {
  const running = stateFolder(process.env["STATE_DIR"]);
  const ready = isFolderLocked(running) ? await readIfPresent(running.ready) : null;
  if (ready !== null) return await use(StackAddress.parse(JSON.parse(ready)), running);
  const stateDir = ".local/verify";
  const stack = await startStack({ port: 0, stateDir, onProgress: say, signal });
  try {
    return await use(stack, stateFolder(stateDir));
  } finally {
    await stack.stop();
  }
}

/** The command. Returns the exit code. */
export async function runVerifyCommand(args: readonly string[], signal: AbortSignal): Promise<number> {
  const command = parseVerifyArguments(args);
  if (command.help) {
    console.log(VERIFY_HELP);
    return 0;
  }
  const { url, json = false, config, only } = command;
  const say = (sentence: string): void => {
    if (!json) console.error(sentence);
  };
  const common = {
    config,
    only,
    named: {
      webhookUrl: command["webhook-url"],
      importUrl: command["import-url"],
      protectedUrl: command["protected-url"],
    },
  };
  const apiKey = command.key ?? process.env["SEGMENTATION_API_KEY"];
  if (url !== undefined && apiKey === undefined)
    throw usageError(`Set SEGMENTATION_API_KEY, or give --key.\nSee: ${SEE}`);
  const verifyAll = (onRow?: (outcome: Outcome) => void): Promise<readonly Outcome[]> => {
    const target = { ...common, ...(onRow && { onRow }) };
    return url === undefined || apiKey === undefined
      ? withLocalStack(signal, say, (stack, state) => verifyService({ ...target, ...stack, state }, signal))
      : verifyService({ ...target, baseUrl: url, apiKey, state: null }, signal);
  };
  const outcomes = await (json ? verifyAll() : withProgress(process.stderr, verifyAll));
  const ok = isVerified(outcomes);
  console.log(json ? JSON.stringify({ ok, rows: outcomes }) : verificationText(outcomes));
  return ok ? 0 : 1;
}
