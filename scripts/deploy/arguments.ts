import { type ParseArgsConfig, parseArgs } from "node:util";
import { usageError } from "../shared/command-line.ts";
import { messageOf } from "../shared/error-parts.ts";

export const DEPLOY_HELP = `Checks that everything is there that the service needs, then deploys the Worker.

  npm run deploy -- --dry-run   check and print what is missing; deploy nothing
  npm run deploy                check; if nothing is missing, apply the migrations and deploy

  --config FILE  another configuration than wrangler.toml
  --json         print JSON
  --dry-run      exit code 0 if it could be deployed now, else 1

It asks Cloudflare through Wrangler: run \`npx wrangler login\` once, or set CLOUDFLARE_API_TOKEN.
Without either, it checks what it can and names what it could not check.
`;

/** A validated command line. */
export type DeployCommand =
  | { readonly action: "help" }
  | {
      readonly action: "deploy";
      readonly configFile: string;
      readonly dryRun: boolean;
      readonly json: boolean;
    };

export const DEFAULT_CONFIG = "wrangler.toml";

const OPTIONS = {
  config: { type: "string", default: DEFAULT_CONFIG },
  "dry-run": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const satisfies ParseArgsConfig["options"];

function read(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, strict: true }).values;
  } catch (error) {
    throw usageError(`${messageOf(error).split(". ")[0]}.\nSee: npm run deploy -- --help`);
  }
}

/** Reads the command line. @throws Failure, a usage error that names what is wrong */
export function parseDeployArguments(args: readonly string[]): DeployCommand {
  const values = read(args);
  if (values.help) return { action: "help" };
  return { action: "deploy", configFile: values.config, dryRun: values["dry-run"], json: values.json };
}
