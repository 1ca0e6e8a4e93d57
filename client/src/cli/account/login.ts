import { text } from "node:stream/consumers";
import { SegmentationClient } from "../../node/client.ts";
import { type Command, parse } from "../command/parse.ts";
import { Failure, usageFailure } from "../failure.ts";
import { harmless } from "../print/table.ts";
import type { Terminal } from "../terminal.ts";
import { A_MOMENT, baseUrlOf } from "./client.ts";
import { readConfig, writeConfig } from "./config-file.ts";

const [ENTER, LINE_FEED, CONTROL_C, CONTROL_D, BACKSPACE, DELETE] = [
  "\r",
  "\n",
  "\x03",
  "\x04",
  "\b",
  "\x7f",
];

/** Reads a key: typed without echo, or piped to stdin. @throws Failure if there is none */
async function readKey(terminal: Terminal): Promise<string> {
  const { stdin } = terminal;
  const typed = stdin.isTTY === true ? await typedLine(terminal) : await text(stdin);
  const key = typed.trim();
  if (key === "")
    throw new Failure("No key was given. Paste it at the prompt, or pipe it in: login < key.txt");
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new Failure("This is not an API key: a key is one word, such as sk_live_…");
  return key;
}

/** Reads one line without showing it. */
function typedLine({ stdin, draw, report, signal }: Terminal): Promise<string> {
  draw("API key (not shown): ");
  stdin.setRawMode?.(true);
  stdin.setEncoding("utf8");
  return new Promise<string>((resolve, reject) => {
    let line = "";
    const end = (): void => {
      stdin.off("data", read);
      signal.removeEventListener("abort", abort);
      stdin.setRawMode?.(false);
      stdin.pause();
      report("");
    };
    const abort = (): void => {
      end();
      reject(signal.reason);
    };
    const read = (piece: string): void => {
      for (const character of piece) {
        if (character === CONTROL_C) {
          end();
          return reject(new Failure("Nothing was changed."));
        }
        if (character === ENTER || character === LINE_FEED || character === CONTROL_D) {
          end();
          return resolve(line);
        }
        line = character === BACKSPACE || character === DELETE ? line.slice(0, -1) : line + character;
      }
    };
    stdin.on("data", read);
    signal.addEventListener("abort", abort);
    stdin.resume();
  });
}

const HELP = `Stores an API key for a service, in a file that only you can read.

  segmentation-client login --base-url https://segmentation.example.com
  segmentation-client login < key.txt
  segmentation-client login --remove

  --base-url URL   the service, which other commands then use by default
  --remove         delete the stored key of the service

Type the key at the prompt, which does not show it, or pipe it to stdin. It is
never an argument, because other users of the machine can see arguments.
SEGMENTATION_API_KEY and SEGMENTATION_BASE_URL in the environment take
precedence over what is stored.`;

const OPTIONS = { remove: { type: "boolean" } } as const;

async function login(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parse("login", args, OPTIONS);
  if (positionals.length > 0)
    throw usageFailure(
      "login takes no arguments: type the key at the prompt, or pipe it in: login < key.txt",
    );
  const { env } = terminal;
  const baseUrl = await baseUrlOf(terminal, values["base-url"]);
  const { keys } = await readConfig(env);
  const others = Object.fromEntries(Object.entries(keys).filter(([url]) => url !== baseUrl));
  if (values.remove === true) {
    const path = await writeConfig(env, { baseUrl, keys: others });
    terminal.report(`Removed the key for ${baseUrl} from ${path}.`);
    return 0;
  }
  const apiKey = await readKey(terminal);
  const client = new SegmentationClient({ baseUrl, apiKey, maxRetries: A_MOMENT });
  const { email } = await client.api.getAccount({}, { signal: terminal.signal });
  const path = await writeConfig(env, { baseUrl, keys: { ...others, [baseUrl]: apiKey } });
  terminal.report(`Logged in to ${baseUrl} as ${harmless(email)}. The key is stored in ${path}.`);
  return 0;
}

export const LOGIN: Command = {
  summary: "store an API key for a service",
  help: HELP,
  options: OPTIONS,
  run: login,
};
