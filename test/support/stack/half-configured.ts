import { cp, mkdtemp, readFile, readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FakeAccount } from "./wrangler/account.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";

const ACCOUNT_ID = "0123456789abcdef0123456789abcdef";
export const DATABASE_ID = "11111111-2222-3333-4444-555555555555";
export const WRANGLER_FAKE = join(PROJECT_ROOT, "test", "support", "stack", "wrangler", "main.ts");

/** The operator's changes in wrangler.toml: [before, after]. */
export const CONFIGURED = {
  database: [`"00000000-0000-0000-0000-000000000000"`, `"${DATABASE_ID}"`],
  route: ["# routes =", "routes ="],
  publicUrl: [`PUBLIC_URL = "http://127.0.0.1:8787"`, `PUBLIC_URL = "https://segmentation.example.com"`],
  endpoint: [
    `S3_ENDPOINT = "http://127.0.0.1:8787/cdn-cgi/local/r2/s3"`,
    `S3_ENDPOINT = "https://account.r2.cloudflarestorage.com"`,
  ],
  inference: [`INFERENCE_URL = "http://127.0.0.1:8788"`, `INFERENCE_URL = "https://inference.example.com"`],
} as const;

/** The bucket's notification rule for the queue of wrangler.toml that only the bucket fills. */
export const UPLOAD_EVENTS = {
  queue: "segmentation-uploads",
  prefix: "inputs/",
  types: "PutObject,CompleteMultipartUpload,CopyObject",
};

/** An account that has everything. */
export const completeAccount = async (): Promise<FakeAccount> => ({
  loggedIn: true,
  accounts: [ACCOUNT_ID],
  databases: [{ uuid: DATABASE_ID, name: "segmentation" }],
  applied: { DB: await readdir(join(PROJECT_ROOT, "migrations")) },
  queues: ["interactive", "bulk", "trial", "archive", "upkeep", "dead-letters", "uploads"].map(
    (name) => `segmentation-${name}`,
  ),
  buckets: {
    "segmentation-media": {
      methods: ["PUT", "GET", "HEAD"],
      lifecycle: [
        { prefix: "", enabled: true, days: null },
        { prefix: "inputs/", enabled: true, days: 33 },
        { prefix: "outputs/", enabled: true, days: 33 },
        { prefix: "archives/", enabled: true, days: 33 },
      ],
      events: [UPLOAD_EVENTS],
    },
  },
  secrets: ["S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY", "MASTER_SECRET", "INFERENCE_TOKEN", "OPERATOR_TOKEN"],
  running: ["d1", "secret_text", "analytics_engine"],
  stored: {},
  deployed: true,
  tokens: null,
  broken: [],
  lost: [],
});

/** An account that has nothing. */
export const emptyAccount = (): FakeAccount => ({
  loggedIn: true,
  accounts: [ACCOUNT_ID],
  databases: [],
  applied: {},
  queues: [],
  buckets: {},
  secrets: null,
  running: null,
  stored: {},
  deployed: false,
  tokens: null,
  broken: [],
  lost: [],
});

/** A folder with a copy of the project's configuration and migrations, and the description of an account. */
export interface DeployFolder {
  readonly path: string;
  readonly config: string;
  readonly account: string;
}

/**
 * Copies the project's configuration.
 * @param skipped the settings that the operator has not configured yet
 * @param edit changes the configuration further
 */
export async function copyConfiguration(
  skipped: readonly (keyof typeof CONFIGURED)[] = [],
  edit: (toml: string) => string = (toml) => toml,
): Promise<DeployFolder> {
  const path = await mkdtemp(join(tmpdir(), "deploy-test-"));
  let toml = await readFile(join(PROJECT_ROOT, "wrangler.toml"), "utf8");
  for (const [what, [from, to]] of Object.entries(CONFIGURED)) {
    if (!toml.includes(from)) throw new Error(`wrangler.toml has no ${from}`);
    if (!skipped.some((name) => name === what)) toml = toml.replace(from, to);
  }
  const folder = { path, config: join(path, "wrangler.toml"), account: join(path, "account.json") };
  await writeFile(folder.config, edit(toml));
  await cp(join(PROJECT_ROOT, "migrations"), join(path, "migrations"), { recursive: true });
  return folder;
}
