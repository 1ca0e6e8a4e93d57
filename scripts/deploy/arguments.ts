import { readArguments } from "../shared/command-line.ts";

export const DEPLOY_HELP = `Checks that everything is there that the service needs, then deploys the Worker.

  npm run deploy -- --dry-run   check and print what is missing; deploy nothing
  npm run deploy                check; if nothing is missing, apply the migrations and deploy

  --config FILE  another configuration than wrangler.toml
  --json         print JSON
  --dry-run      exit code 0 if it could be deployed now, else 1

It asks Cloudflare through Wrangler: run \`npx wrangler login\` once, or set CLOUDFLARE_API_TOKEN.
Without either, it checks what it can and names what it could not check.
`;

export const DEFAULT_CONFIG = "wrangler.toml";

/** Reads the command line. @throws Failure, a usage error that names what is wrong */
export const parseDeployArguments = (args: readonly string[]) =>
  readArguments(
    {
      args: [...args],
      options: {
        config: { type: "string", default: DEFAULT_CONFIG },
        "dry-run": { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        help: { type: "boolean", short: "h", default: false },
      },
    },
    "npm run deploy -- --help",
  ).values;
