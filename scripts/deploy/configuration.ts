import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { Failure, flags, readArguments } from "../shared/command-line.ts";
import { messageOf } from "../shared/error-parts.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

/** A route is a pattern, or an object with one. */
const Route = z.union([z.string(), z.object({ pattern: z.string() }).transform(({ pattern }) => pattern)]);

/** The parts of Wrangler's configuration that the checks read. Each may be missing: then a check says so. */
const File = z.object({
  name: z.string(),
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
    .array(z.object({ binding: z.string(), bucket_name: z.string(), jurisdiction: z.string().optional() }))
    .default([]),
  compatibility_flags: z.array(z.string()).default([]),
  durable_objects: z
    .object({ bindings: z.array(z.object({ name: z.string() })).default([]) })
    .default({ bindings: [] }),
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

/** What is to be deployed. */
export interface Configuration extends z.infer<typeof File> {
  /** The file, as an absolute path. Paths in it start from its folder. */
  readonly path: string;
  /** A Wrangler command for this configuration, as the operator types it. */
  readonly command: (text: string) => string;
}

/** Reads Wrangler's configuration. @throws Failure if there is none, or none that can be read */
export async function readConfiguration(configFile: string): Promise<Configuration> {
  const path = resolve(PROJECT_ROOT, configFile);
  let toml: unknown;
  try {
    toml = parse(await readFile(path, "utf8"));
  } catch (error) {
    throw new Failure(`${path} cannot be read: ${messageOf(error)}`);
  }
  const file = File.safeParse(toml);
  if (!file.success) {
    const [issue] = file.error.issues;
    throw new Failure(
      `${path} is not a configuration of Wrangler: ${issue?.path.join(".")}: ${issue?.message}`,
    );
  }
  const suffix = path === join(PROJECT_ROOT, DEFAULT_CONFIG) ? "" : ` --config ${configFile}`;
  return { ...file.data, path, command: (text) => `npx wrangler ${text}${suffix}` };
}

/** The folder of the migrations. */
export const migrationsFolder = ({ path, d1_databases: [database] }: Configuration): string =>
  join(dirname(path), database?.migrations_dir ?? "migrations");

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

  npm run deploy -- --dry-run   check and print what is missing; deploy nothing
  npm run deploy                check; if nothing is missing, apply the migrations and deploy

  --config FILE  another configuration than wrangler.toml
  --json         print JSON
  --dry-run      exit code 0 if it could be deployed now, otherwise 1

It uses Wrangler to ask Cloudflare: run \`npx wrangler login\` once, or set CLOUDFLARE_API_TOKEN.
Without either, it checks what it can and lists what it could not check.
`;

export const DEFAULT_CONFIG = "wrangler.toml";

/** Reads the command line. @throws Failure, a usage error that names what is wrong */
export const parseDeployArguments = (args: readonly string[]) =>
  readArguments(
    "deploy",
    args,
    {
      config: { type: "string", default: DEFAULT_CONFIG },
      ...flags("dry-run", "json"),
    },
    false,
  ).values;
