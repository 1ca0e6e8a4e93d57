import { type ParseArgsConfig, parseArgs } from "node:util";
import { messageOf } from "../shared/error-parts.ts";
import { usageError } from "../shared/command-line.ts";
import { PLANS, type Plan } from "./accounts.ts";

export const ADMIN_HELP = `Manages accounts and keys.

  npm run admin -- create-account --email a@example.com --plan ${PLANS.join("|")} [--name "A Name"]
  npm run admin -- create-key --account ID [--label "CI"]
  npm run admin -- revoke-key --key ID
  npm run admin -- show-job ID

  --json    print JSON
  --remote  the deployed database of wrangler.toml (needs \`npx wrangler login\`);
            without it, the local stack's in STATE_DIR (default .local), running or not
`;

interface Target {
  readonly remote: boolean;
  readonly json: boolean;
}

/** What was asked for, checked. */
export type AdminCommand =
  | { readonly action: "help" }
  | (Target & {
      readonly action: "create-account";
      readonly email: string;
      readonly plan: Plan;
      readonly name: string | null;
    })
  | (Target & { readonly action: "create-key"; readonly accountId: string; readonly label: string })
  | (Target & { readonly action: "revoke-key"; readonly keyId: string })
  | (Target & { readonly action: "show-job"; readonly jobId: string });

const OPTIONS = {
  email: { type: "string" },
  plan: { type: "string" },
  name: { type: "string" },
  account: { type: "string" },
  label: { type: "string" },
  key: { type: "string" },
  json: { type: "boolean", default: false },
  remote: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const satisfies ParseArgsConfig["options"];

const OPTIONS_OF: Readonly<Record<string, readonly string[]>> = {
  "create-account": ["email", "plan", "name"],
  "create-key": ["account", "label"],
  "revoke-key": ["key"],
  "show-job": [],
};

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw usageError(`${messageOf(error)}\nSee: npm run admin -- --help`);
  }
}

function required(value: string | undefined, what: string, pattern: RegExp, form: string): string {
  if (value === undefined) throw usageError(`${what} is missing.\nSee: npm run admin -- --help`);
  if (!pattern.test(value)) throw usageError(`${what} must be ${form}.`);
  return value;
}

const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u;
const WORDS = /^[^\p{Cc}]{1,100}$/u;
const id = (kind: string): RegExp => new RegExp(`^${kind}_[0-9a-f]{32}$`);

/** Reads the command line; throws a usage error that names what is wrong. */
export function parseAdminArguments(args: readonly string[]): AdminCommand {
  const { values, positionals } = read(args);
  const [action, ...operands] = positionals;
  if (values.help || action === undefined) return { action: "help" };
  const allowed = OPTIONS_OF[action];
  if (!allowed) throw usageError(`There is no command "${action}".\nSee: npm run admin -- --help`);
  const foreign = Object.keys(values).find((name) => !["json", "remote", "help", ...allowed].includes(name));
  if (foreign !== undefined) throw usageError(`--${foreign} does not belong to ${action}.`);
  if (operands.length > (action === "show-job" ? 1 : 0))
    throw usageError(`Too many arguments for ${action}.`);
  const target: Target = { remote: values.remote, json: values.json };
  if (action === "create-account") {
    const email = required(values.email, "--email", EMAIL, "an address like a@example.com");
    const plan = PLANS.find((candidate) => candidate === values.plan);
    if (!plan) throw usageError(`--plan must be ${PLANS.join(" or ")}.`);
    const name =
      values.name === undefined ? null : required(values.name, "--name", WORDS, "1 to 100 characters");
    return { ...target, action, email, plan, name };
  }
  if (action === "create-key") {
    const accountId = required(values.account, "--account", id("acct"), "an account's id, acct_…");
    const label = required(values.label ?? "admin", "--label", WORDS, "1 to 100 characters");
    return { ...target, action, accountId, label };
  }
  if (action === "revoke-key") {
    return { ...target, action, keyId: required(values.key, "--key", id("key"), "a key's id, key_…") };
  }
  return {
    ...target,
    action: "show-job",
    jobId: required(operands[0], "The job's id", id("job"), "a job's id, job_…"),
  };
}
