import { readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { databaseNames } from "../../../src/shared/storage/databases.ts";
import { Failure, flags, readArguments, texts, usageError } from "../command-line.ts";
import { messageOf } from "../error-parts.ts";
import { PROJECT_ROOT } from "../root.ts";
import { readIfPresent, replaceFile } from "../state/private-file.ts";
import { effectiveFileOf, mergeConfiguration, operatorFileOf } from "./operator-file.ts";

/** A route is a pattern, or an object with one. */
const Route = z.union([z.string(), z.object({ pattern: z.string() }).transform(({ pattern }) => pattern)]);

/** The parts of Wrangler's configuration that the checks read. Each may be missing: then a check reports it. */
const File = z.object({
  name: z.string(),
  account_id: z.string().optional(),
  workers_dev: z.boolean().optional(),
  route: Route.optional(),
  routes: z.array(Route).default([]),
  vars: z.record(z.string(), z.unknown()).default({}),
  d1_databases: z
    .array(
      z.object({
        binding: z.string(),
        database_name: z.string(),
        database_id: z.string().default(""),
        migrations_dir: z.string().default("migrations"),
      }),
    )
    .default([]),
  r2_buckets: z
    .array(
      z.object({
        binding: z.string(),
        bucket_name: z.string(),
        jurisdiction: z.string().optional(),
        local_dev: z
          .object({
            experimental_s3_credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
          })
          .optional(),
      }),
    )
    .default([]),
  triggers: z.object({ crons: z.array(z.string()) }).default({ crons: [] }),
  compatibility_flags: z.array(z.string()).default([]),
  durable_objects: z
    .object({ bindings: z.array(z.object({ name: z.string() })).default([]) })
    .default({ bindings: [] }),
  containers: z
    .array(
      z.looseObject({
        class_name: z.string(),
        image: z.string(),
        instance_type: z.unknown().optional(),
        max_instances: z.number().optional(),
      }),
    )
    .default([]),
  migrations: z.array(z.record(z.string(), z.unknown())).default([]),
  ratelimits: z.array(z.object({ name: z.string() })).default([]),
  analytics_engine_datasets: z.array(z.object({ binding: z.string() })).default([]),
  queues: z
    .object({
      producers: z.array(z.object({ queue: z.string() })).default([]),
      consumers: z
        .array(z.object({ queue: z.string(), dead_letter_queue: z.string().optional() }))
        .default([]),
    })
    .default({ producers: [], consumers: [] }),
});

export interface Configuration extends z.infer<typeof File> {
  /** The file for Wrangler, as an absolute path, with the operator's settings merged into it. Its paths start from its folder. */
  readonly path: string;
  /** The file without the operator's settings, as an absolute path. */
  readonly base: string;
  /** The name of the file for the operator's settings: the operator's own, unless the configuration is another file without one. */
  readonly file: string;
  /** A Wrangler command for this configuration, as the operator types it. */
  readonly command: (text: string) => string;
}

async function readToml(path: string): Promise<unknown> {
  try {
    return parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Reads Wrangler's configuration, with the settings of the operator's file, and writes the merged file.
 * @param operator false for the local stack, which has no operator
 * @throws Failure if there is none, or it is unreadable
 */
export async function readConfiguration(
  configFile: string,
  { operator = true } = {},
): Promise<Configuration> {
  const base = resolve(PROJECT_ROOT, configFile);
  const own = operatorFileOf(base);
  const isOwn = operator && (await readIfPresent(own)) !== null;
  const path = isOwn ? effectiveFileOf(base) : base;
  const written = await readToml(base);
  const merged = isOwn ? mergeConfiguration(written, await readToml(own)) : written;
  if (isOwn) await replaceFile(path, JSON.stringify(merged, null, 2));
  const file = File.safeParse(merged);
  if (!file.success) {
    const [issue] = file.error.issues;
    throw new Failure(
      `${base} is not a configuration of Wrangler: ${issue?.path.join(".")}: ${issue?.message}`,
    );
  }
  const isClone = path === join(PROJECT_ROOT, DEFAULT_CONFIG);
  const given = isOwn ? effectiveFileOf(configFile) : configFile;
  const suffix = isClone ? "" : ` --config ${given}`;
  const command = (text: string) => `npx wrangler ${text}${suffix}`;
  return { ...file.data, path, base, file: basename(isOwn || isClone ? own : base), command };
}

export type BoundDatabase = Configuration["d1_databases"][number];

/** Returns the databases for accounts, the first one first. */
export const accountDatabases = ({
  d1_databases: databases,
}: Pick<Configuration, "d1_databases">): BoundDatabase[] =>
  databaseNames(databases.map(({ binding }) => binding)).flatMap((name) =>
    databases.filter(({ binding }) => binding === name),
  );

export const migrationsFolder = (
  { base }: Configuration,
  { migrations_dir: folder }: BoundDatabase,
): string => join(dirname(base), folder);

/** Returns the queues that only the bucket fills: the Worker does not send to them, and they hold no dead letters. */
export const eventQueues = ({ queues: { producers, consumers } }: Configuration): readonly string[] =>
  consumers
    .map(({ queue }) => queue)
    .filter(
      (queue) =>
        !producers.some((producer) => producer.queue === queue) &&
        !consumers.some((consumer) => consumer.dead_letter_queue === queue),
    );

/** The names of all queues, the dead letters' too. */
export const queueNames = ({ queues: { producers, consumers } }: Configuration): readonly string[] => [
  ...new Set([
    ...producers.map(({ queue }) => queue),
    ...consumers.flatMap(({ queue, dead_letter_queue: dead }) =>
      dead === undefined ? [queue] : [queue, dead],
    ),
  ]),
];

export const DEPLOY_HELP = `Checks that everything the service needs is in place, then deploys the Worker.

  npm run deploy -- --create    make what is missing, after a question each; then as below
  npm run deploy -- --dry-run   check and print what is missing; deploy nothing
  npm run deploy                check; if nothing is missing, apply the migrations and deploy

  --config FILE  another configuration than wrangler.toml
  --json         print JSON
  --dry-run      exit code 0 if it could be deployed now, otherwise 1

With --create, which can be run again at any time and changes nothing that is right:
  --yes                 ask nothing
  --domain NAME         the service's domain, whose zone is in the account: segmentation.example.com
  --inference-url URL   where the inference service answers
  --inference cloudflare  run it in Cloudflare Containers, which start with work and sleep without it:
    --instance TYPE     standard-2, standard-3 (default) or standard-4
    --instances N       at most this many (default 2)
    --image REF         an image of docker.io, Cloudflare's registry, ECR or Google's; without it, Wrangler builds
                        inference-container/Dockerfile, for which Docker has to run
    --model NAME        the model in the image that Wrangler builds: builtin (default) or builtin-fast
  It writes these, and what Cloudflare names, to wrangler.operator.toml, next to wrangler.toml. It stores
  S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET as secrets if they are
  in the environment, and generates the others. With a CLOUDFLARE_API_TOKEN that may edit account API tokens, it
  creates the first two.

  --verify  verify the service after it was deployed, with the API key of a paid account in SEGMENTATION_API_KEY
            (npm run verify -- --help); without it, a deployment at a terminal offers to

It uses Wrangler to ask Cloudflare: run \`npx wrangler login\` once, or set CLOUDFLARE_API_TOKEN.
Without either, it checks what it can and lists what it could not check.
`;

export const DEFAULT_CONFIG = "wrangler.toml";

const SEE = "npm run deploy -- --help";

const ONLY_FOR_CONTAINERS = ["instance", "instances", "image", "model"] as const;
const ONLY_FOR_CREATE = ["yes", "domain", "inference-url", "inference", ...ONLY_FOR_CONTAINERS] as const;

/** Reads the command line. @throws Failure, a usage error that names the mistake */
export function parseDeployArguments(args: readonly string[]) {
  const { values } = readArguments(
    "deploy",
    args,
    {
      config: { type: "string", default: DEFAULT_CONFIG },
      ...texts("domain", "inference-url", "inference", "instance", "instances", "image", "model"),
      ...flags("create", "yes", "verify", "dry-run", "json"),
    },
    false,
  );
  const { create } = values;
  for (const name of ONLY_FOR_CREATE) {
    if (create || !values[name]) continue;
    throw usageError(`--${name} is for --create.\nSee: ${SEE}`);
  }
  if (values.inference !== undefined && values.inference !== "cloudflare")
    throw usageError(`--inference can only be cloudflare. Otherwise give --inference-url.\nSee: ${SEE}`);
  for (const name of ONLY_FOR_CONTAINERS) {
    if (values.inference !== undefined || values[name] === undefined) continue;
    throw usageError(`--${name} is for --inference cloudflare.\nSee: ${SEE}`);
  }
  if (values.image !== undefined && values.model !== undefined)
    throw usageError(`--image has its model inside: give --image or --model.\nSee: ${SEE}`);
  if (create && values["dry-run"])
    throw usageError(`--create makes what --dry-run only names: give one of them.\nSee: ${SEE}`);
  if (create && values.json && !values.yes)
    throw usageError(`--json can't ask questions: add --yes.\nSee: ${SEE}`);
  if (values.verify && (values["dry-run"] || !process.env["SEGMENTATION_API_KEY"]))
    throw usageError(`--verify needs a deployment, and an API key in SEGMENTATION_API_KEY.\nSee: ${SEE}`);
  return values;
}
