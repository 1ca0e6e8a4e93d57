import { z } from "zod";
import { flags, readArguments, texts, usageError } from "../../shared/command-line.ts";
import type { Service } from "./command.ts";
import { type Action, COMMANDS } from "./commands.ts";
import type { Outcome } from "../../shared/database/print.ts";

/** A validated command line. */
export type AdminCommand =
  /** Help for one command, or for all. */
  | { readonly action: "help"; readonly about: Action | null }
  | {
      readonly action: Action;
      /** The accepted options of the command. */
      readonly given: object;
      readonly run: (service: Service) => Promise<Outcome>;
      readonly remote: boolean;
      /** The configuration of the deployed service; wrangler.toml by default. */
      readonly config?: string;
      readonly json: boolean;
    };

/** The options of the commands, by their schemas. The job is an operand. */
const OF_COMMANDS = Object.fromEntries(
  Object.values(COMMANDS)
    .flatMap(({ options }) => Object.entries(options.shape))
    .filter(([name]) => name !== "job")
    .map(([name, schema]) => {
      const type = z.safeParse(schema, true).success ? ("boolean" as const) : ("string" as const);
      return [name, { type }];
    }),
);
const OPTIONS = { ...OF_COMMANDS, ...texts("config"), ...flags("json", "remote") };

const SEE = "npm run admin -- --help";

const isAction = (word: string): word is Action => Object.hasOwn(COMMANDS, word);

export const ACTIONS: readonly Action[] = Object.keys(COMMANDS).filter(isAction);

/** The help for one command, or for all. */
export function adminHelp(about: Action | null): string {
  const lines = (about === null ? ACTIONS : [about]).map((action) => {
    const { takes, does } = COMMANDS[action];
    return `  ${["npm run admin --", action, takes].join(" ").trimEnd()}\n      ${does}`;
  });
  return `Manages accounts, keys and workers, shows jobs, checks the ledger.

${lines.join("\n")}

  --json           print JSON
  --remote         use the deployed database of wrangler.toml (needs \`npx wrangler login\`);
                   without it, the database of the local stack in STATE_DIR (default .local),
                   whether or not the stack is running. erase-account, move-account, delete-copy and the
                   commands from show-job to rotate-secret call the Worker: the local stack has to be
                   running; with --remote, OPERATOR_TOKEN in the environment has to be the Worker's
                   secret. If the Worker does not respond, show-job shows the job's row in the list.
                   relist --remote also needs CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN
  --config FILE    with --remote: another configuration than wrangler.toml, as for \`npm run deploy\`
  --grant N        how many tokens a trial gets (default: TRIAL_TOKENS in the environment, or 100)
  --help           after a command: help for that command alone
`;
}

/** Reads the command line. @throws Failure, a usage error that names the mistake */
export function parseAdminArguments(args: readonly string[]): AdminCommand {
  const { values, positionals } = readArguments("admin", args, OPTIONS);
  const [action, ...operands] = positionals;
  if (action === undefined) return { action: "help", about: null };
  if (!isAction(action)) throw usageError(`Unknown command "${action}".\nSee: ${SEE}`);
  const { remote = false, json = false, config, help, ...given } = values;
  if (help) return { action: "help", about: action };
  const namesJob = "job" in COMMANDS[action].options.shape;
  if (operands.length > (namesJob ? 1 : 0))
    throw usageError(`Too many arguments for ${action}.\nSee: ${SEE}`);
  if (config !== undefined && !remote) throw usageError(`--config requires --remote.\nSee: ${SEE}`);
  const target = { remote, json, ...(config !== undefined && { config }) };
  const [job] = operands;
  return { action, ...target, ...readOptions(action, { ...given, ...(job !== undefined && { job }) }) };
}

/** @throws Failure, a usage error */
function readOptions(action: Action, given: object): ReturnType<(typeof COMMANDS)[Action]["read"]> {
  try {
    return COMMANDS[action].read(given);
  } catch (error) {
    const issues = error instanceof z.ZodError ? error.issues : [];
    const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
    if (issue === undefined) throw error;
    if (issue.code === "unrecognized_keys")
      throw usageError(`${action} does not take --${issue.keys[0]}.\nSee: ${SEE}`);
    const name = String(issue.path[0]);
    const what = name === "job" ? "The job's id" : `--${name}`;
    throw usageError(
      name in given ? `${what} must be ${issue.message}.` : `${what} is missing.\nSee: ${SEE}`,
    );
  }
}
