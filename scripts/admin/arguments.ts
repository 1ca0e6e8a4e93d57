import { type ParseArgsConfig, parseArgs } from "node:util";
import type { Plan } from "../../src/core/access.ts";
import { messageOf } from "../shared/error-parts.ts";
import { usageError } from "../shared/command-line.ts";
import { PLANS } from "./accounts.ts";

export const ADMIN_HELP = `Manages accounts and keys, shows jobs, checks the ledger.

  npm run admin -- create-account --email a@example.com --plan ${PLANS.join("|")} [--name "A Name"]
  npm run admin -- set-plan --account ID --plan ${PLANS.join("|")}
  npm run admin -- suspend --account ID
  npm run admin -- resume --account ID
  npm run admin -- list-accounts
  npm run admin -- create-key --account ID [--label "CI"]
  npm run admin -- revoke-key --key ID
  npm run admin -- list-keys --account ID
  npm run admin -- show-job ID
  npm run admin -- ledger-check [--grant 100]

  --json    print JSON
  --remote  use the deployed database of wrangler.toml (needs \`npx wrangler login\`);
            without it, the database of the local stack in STATE_DIR (default .local),
            whether the stack runs or not
  --grant   how many tokens a trial gets (default: TRIAL_TOKENS in the environment, or 100)
`;

interface Target {
  readonly remote: boolean;
  readonly json: boolean;
}

/** A validated command line. */
export type AdminCommand =
  | { readonly action: "help" }
  | (Target & {
      readonly action: "create-account";
      readonly email: string;
      readonly plan: Plan;
      readonly name: string | null;
    })
  | (Target & { readonly action: "set-plan"; readonly accountId: string; readonly plan: Plan })
  | (Target & { readonly action: "suspend" | "resume" | "list-keys"; readonly accountId: string })
  | (Target & { readonly action: "list-accounts" })
  | (Target & { readonly action: "create-key"; readonly accountId: string; readonly label: string })
  | (Target & { readonly action: "revoke-key"; readonly keyId: string })
  | (Target & { readonly action: "show-job"; readonly jobId: string })
  | (Target & { readonly action: "ledger-check"; readonly grant: number | null });

type Action = Exclude<AdminCommand["action"], "help">;

const OPTIONS = {
  email: { type: "string" },
  plan: { type: "string" },
  name: { type: "string" },
  account: { type: "string" },
  label: { type: "string" },
  key: { type: "string" },
  grant: { type: "string" },
  json: { type: "boolean", default: false },
  remote: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const satisfies ParseArgsConfig["options"];

const OPTIONS_OF: Readonly<Record<Action, readonly string[]>> = {
  "create-account": ["email", "plan", "name"],
  "set-plan": ["account", "plan"],
  suspend: ["account"],
  resume: ["account"],
  "list-accounts": [],
  "create-key": ["account", "label"],
  "revoke-key": ["key"],
  "list-keys": ["account"],
  "show-job": [],
  "ledger-check": ["grant"],
};

const SEE_HELP = "See: npm run admin -- --help";

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    // The rest of Node's message is about arguments that begin with a dash; there are none here.
    throw usageError(`${messageOf(error).split(". ")[0]}.\n${SEE_HELP}`);
  }
}

const isAction = (word: string): word is Action => Object.hasOwn(OPTIONS_OF, word);

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
const TOKENS = /^[1-9]\d{0,8}$/;
const id = (kind: string): RegExp => new RegExp(`^${kind}_[0-9a-f]{32}$`);

/** Reads the command line. @throws Failure, a usage error that names what is wrong */
export function parseAdminArguments(args: readonly string[]): AdminCommand {
  const { values, positionals } = read(args);
  const [action, ...operands] = positionals;
  if (values.help || action === undefined) return { action: "help" };
  if (!isAction(action)) throw usageError(`There is no command "${action}".\n${SEE_HELP}`);
  const allowed = new Set(["json", "remote", "help", ...OPTIONS_OF[action]]);
  const foreign = Object.keys(values).find((name) => !allowed.has(name));
  if (foreign !== undefined) throw usageError(`${action} does not take --${foreign}.\n${SEE_HELP}`);
  if (operands.length > (action === "show-job" ? 1 : 0))
    throw usageError(`Too many arguments for ${action}.\n${SEE_HELP}`);

  const target: Target = { remote: values.remote, json: values.json };
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
    case "suspend":
    case "resume":
    case "list-keys":
      return { ...target, action, accountId: accountId() };
    case "list-accounts":
      return { ...target, action };
    case "create-key": {
      const label = required(values.label ?? "admin", "--label", WORDS, "1 to 100 characters");
      return { ...target, action, accountId: accountId(), label };
    }
    case "revoke-key":
      return { ...target, action, keyId: required(values.key, "--key", id("key"), "a key's id (key_…)") };
    case "show-job":
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
      return { ...target, action, grant: grant === null ? null : Number(grant) };
    }
  }
}
