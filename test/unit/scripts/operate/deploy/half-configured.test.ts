import { describe, expect, it } from "vitest";
import { NEEDED_SECRETS } from "../../../../../scripts/operate/deploy/secrets.ts";
import {
  aroundEachDeployment,
  deploy,
  type Found,
  type Situation,
} from "../../../../support/stack/deployment.ts";
import { DATABASE_ID, UPLOAD_EVENTS } from "../../../../support/stack/half-configured.ts";

aroundEachDeployment();

const OPERATOR_TOKEN = {
  severity: "warning",
  what: "OPERATOR_TOKEN",
  mend: "npx wrangler secret put OPERATOR_TOKEN",
};
const ANALYTICS_ENGINE = {
  severity: "warning",
  what: "Analytics Engine",
  mend: "enable it once in Cloudflare's dashboard (docs/operations/monitoring.md#dashboards-and-alarms), or remove [[analytics_engine_datasets]] from wrangler.toml",
};
const TO_CLICK =
  "open https://dash.cloudflare.com/?to=/:account/r2/api-tokens, click Create Account API token, choose Object Read & Write, apply it to the bucket segmentation-media only, create it, and copy Access Key ID (S3_ACCESS_KEY_ID) and Secret Access Key (S3_SECRET_ACCESS_KEY)";
const put = (name: string) =>
  `${name.startsWith("S3_") ? `${TO_CLICK}; then ` : ""}npx wrangler secret put ${name}`;
const missing = (what: string, mend: string) => ({ severity: "missing", what, mend });

const CONTAINER_BINDING = `[[durable_objects.bindings]]
name = "INFERENCE_CONTAINER"
class_name = "Container"
script_name = "containers"
`;

describe("npm run deploy -- --dry-run", () => {
  const bucket = (changes: object) => ({
    buckets: {
      "segmentation-media": { methods: ["PUT", "GET"], lifecycle: [], events: [UPLOAD_EVENTS], ...changes },
    },
  });
  const rule = (prefix: string, days: number | null, enabled = true) => ({ prefix, days, enabled });
  const all = [rule("inputs/", 33), rule("outputs/", 33), rule("archives/", 33)];
  const set = (name: string, example: string) => `set ${name} = "${example}" in [vars] of wrangler.toml`;
  const addRule = (name: string, days = 33) =>
    `npx wrangler r2 bucket lifecycle add segmentation-media ${name} ${name}/ --expire-days ${days}`;

  it.each<[string, Situation, Found[]]>([
    [
      "a placeholder for the database's id",
      { skipped: ["database"], account: { databases: [] } },
      [
        missing("database_id", "npx wrangler d1 create segmentation, then put its id into wrangler.toml"),
        missing(
          "database segmentation",
          "npx wrangler d1 create segmentation, then put its id into wrangler.toml",
        ),
      ],
    ],
    [
      "a database whose id is not in wrangler.toml yet",
      { edit: (toml) => toml.replace(DATABASE_ID, DATABASE_ID.replace("1", "9")) },
      [missing("database segmentation", `set database_id = "${DATABASE_ID}" in wrangler.toml`)],
    ],
    [
      "a route",
      { skipped: ["route"] },
      [
        missing(
          "route",
          'set routes = [{ pattern = "your.domain", custom_domain = true }] in wrangler.toml, or npm run deploy -- --create --domain your.domain',
        ),
      ],
    ],
    [
      "an address that is the machine's own",
      { skipped: ["publicUrl", "endpoint", "inference"], edit: (toml) => toml.replace('8787"', '8787"') },
      [
        {
          severity: "warning",
          what: "PUBLIC_URL",
          mend: "make PUBLIC_URL and routes name the same host in wrangler.toml",
        },
        missing("PUBLIC_URL", set("PUBLIC_URL", "https://your.domain")),
        missing("S3_ENDPOINT", set("S3_ENDPOINT", "https://<account>.r2.cloudflarestorage.com")),
        missing("INFERENCE_URL", set("INFERENCE_URL", "https://your.inference.service")),
      ],
    ],
    [
      "a setting that is not there",
      { edit: (toml) => toml.replace(/^INFERENCE_URL.*$/m, "") },
      [missing("INFERENCE_URL", set("INFERENCE_URL", "https://your.inference.service"))],
    ],
    [
      "nothing of an inference service behind a Durable Object",
      {
        edit: (toml) =>
          toml.replace(/^INFERENCE_URL.*$/m, "").replace("[vars]", `${CONTAINER_BINDING}\n[vars]`),
        account: {
          secrets: [...NEEDED_SECRETS.filter((name) => name !== "INFERENCE_TOKEN"), "OPERATOR_TOKEN"],
        },
      },
      [],
    ],
    [
      "a pool in the order that does not exist",
      { edit: (toml) => toml.replace("[vars]", '[vars]\nINFERENCE_ORDER = "url,gpu"') },
      [missing("INFERENCE_ORDER", "set INFERENCE_ORDER in [vars] of wrangler.toml")],
    ],
    [
      "the signed URLs' bucket, which is another than the binding's",
      { edit: (toml) => toml.replace('S3_BUCKET = "segmentation-media"', 'S3_BUCKET = "other"') },
      [missing("S3_BUCKET", set("S3_BUCKET", "segmentation-media"))],
    ],
    [
      "what a configuration of before the events of jobs lacks",
      {
        edit: (toml) =>
          toml
            .replace(/^compatibility_flags.*$/m, "")
            .replace(/\[\[durable_objects\.bindings\]\]\nname = "STREAMS"\n.*\n/, ""),
      },
      [
        missing(
          "Durable Object STREAMS",
          "copy it, with its [[migrations]], from the wrangler.toml of this version",
        ),
        missing(
          "global_fetch_strictly_public",
          'add "global_fetch_strictly_public" to compatibility_flags in wrangler.toml',
        ),
        {
          severity: "warning",
          what: "enable_request_signal",
          mend: 'add "enable_request_signal" to compatibility_flags in wrangler.toml',
        },
      ],
    ],
    [
      "an inference service at a host that a route of the Worker takes",
      { edit: (toml) => toml.replace(/^routes.*$/m, 'routes = ["*.example.com/*"]') },
      [
        missing(
          "INFERENCE_URL",
          "exclude inference.example.com from routes in wrangler.toml, or give INFERENCE_URL another host",
        ),
      ],
    ],
    [
      "each secret",
      { account: { secrets: ["MASTER_SECRET", "OPERATOR_TOKEN"] } },
      ["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "INFERENCE_TOKEN"].map((name) => missing(name, put(name))),
    ],
    [
      "all secrets of a Worker that was never deployed",
      { account: { secrets: null } },
      [...NEEDED_SECRETS.map((name) => missing(name, put(name))), OPERATOR_TOKEN],
    ],
    [
      "the secret for the operator's own commands",
      { account: { secrets: [...NEEDED_SECRETS] } },
      [OPERATOR_TOKEN],
    ],
    [
      "half of the settings for sign-in",
      { edit: (toml) => toml.replace("[vars]", '[vars]\nOIDC_ISSUER = "https://identity.example.com"') },
      [
        missing("OIDC_AUDIENCE", "set OIDC_AUDIENCE in [vars] of wrangler.toml"),
        missing("OIDC_JWKS_URL", "set OIDC_JWKS_URL in [vars] of wrangler.toml"),
      ],
    ],
    [
      "half of the settings for payment: the secrets",
      { edit: (toml) => toml.replace("[vars]", '[vars]\nSTRIPE_PRICE_ID = "price_1"') },
      [
        missing("STRIPE_SECRET_KEY", "npx wrangler secret put STRIPE_SECRET_KEY"),
        missing("STRIPE_WEBHOOK_SECRET", "npx wrangler secret put STRIPE_WEBHOOK_SECRET"),
      ],
    ],
    [
      "half of the settings for payment: the price",
      {
        account: {
          secrets: [...NEEDED_SECRETS, "STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET", "OPERATOR_TOKEN"],
        },
      },
      [missing("STRIPE_PRICE_ID", "set STRIPE_PRICE_ID in [vars] of wrangler.toml")],
    ],
    [
      "a secret in wrangler.toml",
      { edit: (toml) => toml.replace("[vars]", `[vars]\nMASTER_SECRET = "${"s".repeat(43)}"`) },
      [
        missing(
          "MASTER_SECRET",
          "remove it from [vars] of wrangler.toml, replace it at its source, then npx wrangler secret put MASTER_SECRET",
        ),
      ],
    ],
    [
      "the local stack's own setting",
      { edit: (toml) => toml.replace("[vars]", '[vars]\nLOCAL_STACK = "yes"') },
      [missing("LOCAL_STACK", "remove it from [vars] of wrangler.toml")],
    ],
    [
      "a setting with a wrong name",
      { edit: (toml) => toml.replace("[vars]", "[vars]\nRETENTON_DAYS = 7") },
      [
        {
          severity: "warning",
          what: "RETENTON_DAYS",
          mend: "correct its name in [vars] of wrangler.toml (docs/operations/settings.md lists all)",
        },
      ],
    ],
    [
      "each queue that wrangler.toml names, and that of the dead letters",
      { account: { queues: ["segmentation-bulk"] } },
      ["interactive", "trial", "archive", "upkeep", "dead-letters", "uploads"].map((name) =>
        missing(`queue segmentation-${name}`, `npx wrangler queues create segmentation-${name}`),
      ),
    ],
    [
      "the bucket",
      { account: { buckets: {} } },
      [missing("bucket segmentation-media", "npx wrangler r2 bucket create segmentation-media")],
    ],
    [
      "the bucket's lifecycle rules",
      { account: bucket({ lifecycle: [rule("", null)] }) },
      [
        missing("lifecycle rule for inputs/", addRule("inputs")),
        missing("lifecycle rule for outputs/", addRule("outputs")),
        missing("lifecycle rule for archives/", addRule("archives")),
      ],
    ],
    [
      "the lifecycle rule that removes what a late upload left",
      { account: bucket({ lifecycle: all.slice(1) }) },
      [missing("lifecycle rule for inputs/", addRule("inputs"))],
    ],
    [
      "a lifecycle rule that deletes inputs which jobs of a short retention still need",
      {
        edit: (toml) => toml.replace("[vars]", "[vars]\nRETENTION_DAYS = 1"),
        account: bucket({ lifecycle: [rule("inputs/", 2), ...all.slice(1)] }),
      },
      [
        missing(
          "lifecycle rule for inputs/",
          `npx wrangler r2 bucket lifecycle remove segmentation-media --name …, then ${addRule("inputs", 5)}`,
        ),
      ],
    ],
    [
      "a lifecycle rule that is switched off",
      { account: bucket({ lifecycle: [...all.slice(0, 2), rule("archives/", 33, false)] }) },
      [missing("lifecycle rule for archives/", addRule("archives"))],
    ],
    [
      "a lifecycle rule that deletes results before their time",
      { account: bucket({ lifecycle: [...all, rule("outputs/", 30)] }) },
      [
        missing(
          "lifecycle rule for outputs/",
          `npx wrangler r2 bucket lifecycle remove segmentation-media --name …, then ${addRule("outputs")}`,
        ),
      ],
    ],
    ...["", "ledger/", "ledger/2026-01/", "l"].map((prefix): [string, Situation, Found[]] => [
      `a lifecycle rule for "${prefix}", where closed books are`,
      { account: bucket({ lifecycle: [...all, rule(prefix, 60)] }) },
      [
        missing(
          "lifecycle rule rule-3",
          "npx wrangler r2 bucket lifecycle remove segmentation-media --name rule-3",
        ),
      ],
    ]),
    ...[null, ["GET"], ["PUT"]].map((methods): [string, Situation, Found[]] => [
      `CORS rules that allow ${methods === null ? "nothing" : String(methods)}`,
      { account: bucket({ lifecycle: all, methods }) },
      [
        {
          severity: "warning",
          what: "CORS rules of segmentation-media",
          mend: "npx wrangler r2 bucket cors set segmentation-media --file cors.json (docs/operations/deploy.md#browsers has the file)",
        },
      ],
    ]),
    ...[null, ["d1"]].map((running): [string, Situation, Found[]] => [
      `Analytics Engine while ${running === null ? "no version runs" : "the version that runs does not use it"}`,
      { account: { running } },
      [ANALYTICS_ENGINE],
    ]),
    [
      "Analytics Engine if Cloudflare does not report which version runs",
      { account: { broken: ["deployments status"] } },
      [ANALYTICS_ENGINE],
    ],
    [
      "Analytics Engine if Cloudflare does not show the version that runs",
      { account: { broken: ["versions view 1-2-3"] } },
      [ANALYTICS_ENGINE],
    ],
    [
      "what Cloudflare does not answer",
      {
        account: {
          broken: [
            "d1 list",
            "secret list",
            "queues info segmentation-bulk",
            "r2 bucket cors list segmentation-media",
          ],
        },
      },
      ["secrets", "database segmentation", "queue segmentation-bulk", "CORS rules of segmentation-media"].map(
        (what) => ({
          severity: "unchecked",
          what,
          mend: "npm run deploy -- --dry-run",
        }),
      ),
    ],
    [
      "the account, while nobody is logged in",
      { account: { loggedIn: false } },
      [
        "database segmentation",
        "migrations",
        ...["interactive", "bulk", "trial", "archive", "upkeep", "dead-letters", "uploads"].map(
          (name) => `queue segmentation-${name}`,
        ),
        "bucket segmentation-media",
        "CORS rules of segmentation-media",
        "lifecycle rules of segmentation-media",
        "events of segmentation-media",
        "Analytics Engine",
        "secrets",
      ].map((what) => ({ severity: "unchecked", what, mend: "npx wrangler login" })),
    ],
  ])("names %s, with the command that mends it", async (_, situation, expected) => {
    const { exitCode, found, calls } = await deploy(situation, "--dry-run");
    expect(found).toEqual(expected);
    expect(exitCode).toBe(expected.every(({ severity }) => severity === "warning") ? 0 : 1);
    expect(calls).not.toContain("deploy");
  });
});
