import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Plan } from "../../src/core/accounts/access.ts";
import { messageOf } from "../shared/error-parts.ts";
import { usageError } from "../shared/command-line.ts";
import { PLANS } from "./accounts.ts";

interface Target {
  readonly remote: boolean;
  /** The configuration that names the deployed service; without it, wrangler.toml. */
  readonly config?: string;
  readonly json: boolean;
}

/** A validated command line. */
export type AdminCommand =
  /** Help for one command, or for all. */
  | { readonly action: "help"; readonly about: Action | null }
  | (Target & {
      readonly action: "create-account";
      readonly email: string;
      readonly plan: Plan;
      readonly name: string | null;
    })
  | (Target & { readonly action: "set-plan"; readonly accountId: string; readonly plan: Plan })
  | (Target & {
      readonly action: "set-limit";
      readonly accountId: string;
      /** Null for the setting's default. */
      readonly unitsPerDay: number | null;
    })
  | (Target & {
      readonly action: "suspend-account" | "resume-account" | "show-account" | "list-keys";
      readonly accountId: string;
    })
  | (Target & { readonly action: "erase-account"; readonly accountId: string; readonly yes: boolean })
  | (Target & {
      readonly action: "list-accounts";
      readonly email: string | null;
      readonly after: string | null;
      readonly limit: number;
    })
  | (Target & { readonly action: "create-key"; readonly accountId: string; readonly label: string })
  | (Target & { readonly action: "revoke-key"; readonly keyId: string })
  | (Target & { readonly action: "show-job" | "wake-job" | "cancel-job"; readonly jobId: string })
  | (Target & { readonly action: "stuck-jobs"; readonly hours: number })
  | (Target & { readonly action: "dead-letters"; readonly replay: boolean })
  | (Target & { readonly action: "relist"; readonly dryRun: boolean })
  | (Target & { readonly action: "ledger-check"; readonly grant: number | null; readonly objects: boolean });

export type Action = Exclude<AdminCommand["action"], "help">;

const OPTIONS = {
  email: { type: "string" },
  plan: { type: "string" },
  name: { type: "string" },
  account: { type: "string" },
  "units-per-day": { type: "string" },
  label: { type: "string" },
  key: { type: "string" },
  grant: { type: "string" },
  after: { type: "string" },
  limit: { type: "string" },
  hours: { type: "string" },
  replay: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  yes: { type: "boolean", default: false },
  objects: { type: "boolean" },
  json: { type: "boolean", default: false },
  remote: { type: "boolean", default: false },
  config: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const satisfies ParseArgsConfig["options"];

/** What a command takes, as its help shows it, and what it does. */
interface CommandForm {
  readonly takes: string;
  readonly does: string;
  readonly options: readonly (keyof typeof OPTIONS)[];
}

const PLAN = PLANS.join("|");

/** Each command: its help, and the options that it takes beside those of all. */
const COMMANDS: Readonly<Record<Action, CommandForm>> = {
  "create-account": {
    takes: `--email a@example.com --plan ${PLAN} [--name "A Name"]`,
    does: "creates an account and its first key",
    options: ["email", "plan", "name"],
  },
  "list-accounts": {
    takes: "[--email a@example.com] [--limit 50] [--after ID]",
    does: "lists accounts, the newest first; --after goes on behind the last one of a page",
    options: ["email", "limit", "after"],
  },
  "show-account": {
    takes: "--account ID",
    does: "shows an account's person, plan, status, keys, jobs, use and billing",
    options: ["account"],
  },
  "set-plan": {
    takes: `--account ID --plan ${PLAN}`,
    does: "paid and blocked override the subscription; with trial the subscription decides",
    options: ["account", "plan"],
  },
  "set-limit": {
    takes: "--account ID --units-per-day N|default",
    does: "limits the units that the account's jobs may reserve per day (UTC), once it pays",
    options: ["account", "units-per-day"],
  },
  "suspend-account": {
    takes: "--account ID",
    does: "refuses every credential of the account; its jobs in progress continue",
    options: ["account"],
  },
  "resume-account": {
    takes: "--account ID",
    does: "accepts the credentials of a suspended account again",
    options: ["account"],
  },
  "erase-account": {
    takes: "--account ID [--yes]",
    does: "erases an account for ever (docs/operations.md says what stays); without --yes shows it",
    options: ["account", "yes"],
  },
  "create-key": {
    takes: '--account ID [--label "CI"]',
    does: "creates a key and shows its secret once",
    options: ["account", "label"],
  },
  "revoke-key": {
    takes: "--key ID",
    does: "revokes a key; it is refused from its next use on",
    options: ["key"],
  },
  "list-keys": {
    takes: "--account ID",
    does: "lists an account's keys, the newest first, revoked ones too",
    options: ["account"],
  },
  "show-job": {
    takes: "ID",
    does: "shows a job's tasks with attempts and leases, its archive and its alarm",
    options: [],
  },
  "wake-job": {
    takes: "ID",
    does: "does what the job's alarm does, and pushes its status into the list again",
    options: [],
  },
  "cancel-job": {
    takes: "ID",
    does: "ends a job: its tasks that have not ended fail and cost nothing",
    options: [],
  },
  "stuck-jobs": {
    takes: "[--hours 24]",
    does: "lists jobs under way whose status has not changed for so long, the oldest first",
    options: ["hours"],
  },
  "dead-letters": {
    takes: "[--replay]",
    does: "lists messages that no consumer could handle; --replay sends them again",
    options: ["replay"],
  },
  relist: {
    takes: "[--dry-run]",
    does: "writes back the jobs that a restored database has lost; --dry-run only names them",
    options: ["dry-run"],
  },
  "ledger-check": {
    takes: "[--grant 100] [--objects]",
    does: "checks that the ledger agrees with the jobs and the metered usage; --objects reads closed books too; exit code 1 if not",
    options: ["grant", "objects"],
  },
};

/** The help for one command, or for all. */
export function adminHelp(about: Action | null): string {
  const lines = (about === null ? ACTIONS : [about]).map((action) => {
    const { takes, does } = COMMANDS[action];
    return `  npm run admin -- ${action} ${takes}\n      ${does}`;
  });
  return `Manages accounts and keys, shows jobs, checks the ledger.

${lines.join("\n")}

  --json    print JSON
  --remote  use the deployed database of wrangler.toml (needs \`npx wrangler login\`);
            without it, the database of the local stack in STATE_DIR (default .local),
            whether the stack runs or not. erase-account and the commands from show-job to
            relist ask the Worker: the local stack has to run; with --remote, OPERATOR_TOKEN
            in the environment is the Worker's secret. Of a job, show-job shows its row in
            the list where it can ask nobody. relist --remote also needs CLOUDFLARE_ACCOUNT_ID
            and CLOUDFLARE_API_TOKEN
  --config  with --remote: another configuration than wrangler.toml, as \`npm run deploy\` takes it
  --grant   how many tokens a trial gets (default: TRIAL_TOKENS in the environment, or 100)
  --help    after a command: help for that command alone
`;
}

const SEE_HELP = "See: npm run admin -- --help";

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    // The rest of Node's message is about arguments that begin with a dash; there are none here.
    throw usageError(`${messageOf(error).split(". ")[0]}.\n${SEE_HELP}`);
  }
}

const isAction = (word: string): word is Action => Object.hasOwn(COMMANDS, word);

const NAMES_A_JOB: ReadonlySet<string> = new Set<Action>(["show-job", "wake-job", "cancel-job"]);

/** The names of all commands. */
export const ACTIONS: readonly Action[] = Object.keys(COMMANDS).filter(isAction);

function required(value: string | undefined, what: string, pattern: RegExp, form: string): string {
  if (value === undefined) throw usageError(`${what} is missing.\n${SEE_HELP}`);
  if (!pattern.test(value)) throw usageError(`${what} must be ${form}.`);
  return value;
}

function requiredPlan(value: string | undefined): Plan {
  const plan = PLANS.find((candidate) => candidate === value);
  if (!plan) throw usageError(`--plan must be ${PLANS.slice(0, -1).join(", ")} or ${PLANS.at(-1)}.`);
  return plan;
}

const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u;
const WORDS = /^[^\p{Cc}]{1,100}$/u;
const HOURS = /^(?:[1-9]\d?|[1-6]\d\d|7[01]\d|720)$/;
const TOKENS = /^[1-9]\d{0,8}$/;
const UNITS = /^(?:\d{1,9}|default)$/;
const PAGE = /^(?:[1-9]\d{0,2}|1000)$/;
const id = (kind: string): RegExp => new RegExp(`^${kind}_[0-9a-f]{32}$`);

/** Reads the command line. @throws Failure, a usage error that names what is wrong */
export function parseAdminArguments(args: readonly string[]): AdminCommand {
  const { values, positionals } = read(args);
  const [action, ...operands] = positionals;
  if (action === undefined) return { action: "help", about: null };
  if (!isAction(action)) throw usageError(`There is no command "${action}".\n${SEE_HELP}`);
  if (values.help) return { action: "help", about: action };
  const allowed = new Set<string>(["json", "remote", "config", "help", ...COMMANDS[action].options]);
  const foreign = Object.entries(values).find(([name, value]) => value !== false && !allowed.has(name))?.[0];
  if (foreign !== undefined) throw usageError(`${action} does not take --${foreign}.\n${SEE_HELP}`);
  if (operands.length > (NAMES_A_JOB.has(action) ? 1 : 0))
    throw usageError(`Too many arguments for ${action}.\n${SEE_HELP}`);

  const { remote, json, config } = values;
  if (config !== undefined && !remote) throw usageError(`--config goes with --remote.\n${SEE_HELP}`);
  const target: Target = { remote, json, ...(config !== undefined && { config }) };
  const accountId = () => required(values.account, "--account", id("acct"), "an account's id (acct_…)");
  switch (action) {
    case "create-account": {
      const email = required(values.email, "--email", EMAIL, "an e-mail address like a@example.com");
      const plan = requiredPlan(values.plan);
      const name =
        values.name === undefined ? null : required(values.name, "--name", WORDS, "1 to 100 characters");
      return { ...target, action, email, plan, name };
    }
    case "set-plan":
      return { ...target, action, accountId: accountId(), plan: requiredPlan(values.plan) };
    case "set-limit": {
      const form = "a whole number of units, or default";
      const units = required(values["units-per-day"], "--units-per-day", UNITS, form);
      const unitsPerDay = units === "default" ? null : Number(units);
      return { ...target, action, accountId: accountId(), unitsPerDay };
    }
    case "suspend-account":
    case "resume-account":
    case "show-account":
    case "list-keys":
      return { ...target, action, accountId: accountId() };
    case "erase-account":
      return { ...target, action, accountId: accountId(), yes: values.yes };
    case "list-accounts": {
      const optional = (value: string | undefined, what: string, pattern: RegExp, form: string) =>
        value === undefined ? null : required(value, what, pattern, form);
      const email = optional(values.email, "--email", EMAIL, "an e-mail address like a@example.com");
      const after = optional(values.after, "--after", id("acct"), "an account's id (acct_…)");
      const limit = Number(required(values.limit ?? "50", "--limit", PAGE, "a number from 1 to 1000"));
      return { ...target, action, email, after, limit };
    }
    case "create-key": {
      const label = required(values.label ?? "admin", "--label", WORDS, "1 to 100 characters");
      return { ...target, action, accountId: accountId(), label };
    }
    case "revoke-key":
      return { ...target, action, keyId: required(values.key, "--key", id("key"), "a key's id (key_…)") };
    case "stuck-jobs":
      return {
        ...target,
        action,
        hours: Number(required(values.hours ?? "24", "--hours", HOURS, "a whole number from 1 to 720")),
      };
    case "dead-letters":
      return { ...target, action, replay: values.replay };
    case "relist":
      return { ...target, action, dryRun: values["dry-run"] };
    case "show-job":
    case "wake-job":
    case "cancel-job":
      return {
        ...target,
        action,
        jobId: required(
          operands[0],
          "The job's id",
          id("job"),
          "an id like job_…, with 32 hexadecimal digits",
        ),
      };
    case "ledger-check": {
      const grant =
        values.grant === undefined
          ? null
          : required(values.grant, "--grant", TOKENS, "a whole number of tokens");
      return {
        ...target,
        action,
        grant: grant === null ? null : Number(grant),
        objects: values.objects ?? false,
      };
    }
  }
}
