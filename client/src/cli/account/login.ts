import { SegmentationClient } from "../../node/client.ts";
import type { Command } from "../command/command.ts";
import { parse } from "../command/parse.ts";
import { usageFailure } from "../failure.ts";
import { harmless } from "../print/table.ts";
import type { Terminal } from "../terminal.ts";
import { A_MOMENT, baseUrlOf } from "./client.ts";
import { readConfig, writeConfig } from "./config-file.ts";
import { readKey } from "./read-key.ts";

const HELP = `Keeps an API key for a service, in a file that only you can read.

  segmentation-client login --base-url https://segmentation.example.com
  segmentation-client login < key.txt
  segmentation-client login --remove

  --base-url URL   the service, which is then used without --base-url
  --remove         forget the key of the service

The key is typed at a prompt, which does not show it, or comes from stdin: it is
never an argument, which other users of the machine could see. A key in
SEGMENTATION_API_KEY goes before one that is kept, and so does the address in
SEGMENTATION_BASE_URL.`;

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
    terminal.tell(`The key for ${baseUrl} is no longer in ${path}.`);
    return 0;
  }
  const apiKey = await readKey(terminal);
  const client = new SegmentationClient({ baseUrl, apiKey, maxRetries: A_MOMENT });
  const { email } = await client.api.getAccount({}, { signal: terminal.signal });
  const path = await writeConfig(env, { baseUrl, keys: { ...others, [baseUrl]: apiKey } });
  terminal.tell(`You are ${harmless(email)} at ${baseUrl}. The key is in ${path}.`);
  return 0;
}

export const LOGIN: Command = {
  summary: "keep an API key for a service",
  help: HELP,
  options: OPTIONS,
  run: login,
};
