import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { ACCOUNT } from "./account/account.ts";
import { KEYS } from "./account/keys.ts";
import { LOGIN } from "./account/login.ts";
import type { Command } from "./command/parse.ts";
import { explain, usageFailure } from "./failure.ts";
import { CANCEL, DELETE } from "./jobs/end.ts";
import { JOB } from "./jobs/job.ts";
import { JOBS } from "./jobs/jobs.ts";
import { style } from "./print/table.ts";
import { SEGMENT } from "./segment/command.ts";
import { Interrupted, type Terminal } from "./terminal.ts";
import { WEBHOOKS } from "./webhooks/command.ts";

/** All commands by their names. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  segment: SEGMENT,
  jobs: JOBS,
  job: JOB,
  cancel: CANCEL,
  delete: DELETE,
  account: ACCOUNT,
  keys: KEYS,
  webhooks: WEBHOOKS,
  login: LOGIN,
};

const overview = (): string => `The command line of a segmentation job service.

${Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(12)} ${summary}`)
  .join("\n")}

  segmentation-client login --base-url https://segmentation.example.com
  segmentation-client segment photo.jpg -p cat -p "red cup"

Run segmentation-client COMMAND --help for details. Instead of logging in, you
can set SEGMENTATION_BASE_URL and SEGMENTATION_API_KEY in the environment.`;

const VERSION_WORDS = new Set(["--version", "-v", "-V", "version"]);

/** The package's version: its manifest is above the command line's folder, and in the workspace above the sources'. */
async function version(): Promise<string> {
  const paths = ["../package.json", "../../package.json"].map((path) => new URL(path, import.meta.url));
  const manifest = await readFile(paths.find((path) => existsSync(path)) ?? "", "utf8");
  const { version: number }: { version: string } = JSON.parse(manifest);
  return number;
}

/** Runs a command line. Returns its exit code: 0; 1 if something failed; 2 for a usage error. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = "", ...rest] = args;
  try {
    if (VERSION_WORDS.has(name)) {
      terminal.print(await version());
      return 0;
    }
    if (name === "" || name === "help" || name === "--help" || name === "-h") {
      terminal.print(overview());
      return name === "" ? 2 : 0;
    }
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command === undefined)
      throw usageFailure(
        name.startsWith("-")
          ? `Name a command before ${name}: ${Object.keys(COMMANDS).join(", ")}.`
          : `Unknown command "${name}". Commands: ${Object.keys(COMMANDS).join(", ")}.`,
      );
    const beforeDashes = rest.includes("--") ? rest.slice(0, rest.indexOf("--")) : rest;
    if (beforeDashes.includes("--help") || beforeDashes.includes("-h")) {
      terminal.print(command.help);
      return 0;
    }
    return await command.run(rest, terminal);
  } catch (error) {
    const { message, exitCode } = explain(terminal.signal.aborted ? terminal.signal.reason : error);
    if (!(error instanceof Interrupted)) terminal.report(`${style(terminal, "red", "Error:")} ${message}`);
    return exitCode;
  }
}
