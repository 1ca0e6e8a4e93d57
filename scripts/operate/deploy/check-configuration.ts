import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { FIRST_DATABASE } from "../../../src/shared/storage/databases.ts";
import { PROJECT_ROOT } from "../../shared/root.ts";
import {
  accountDatabases,
  type Configuration,
  DEFAULT_CONFIG,
} from "../../shared/cloudflare/configuration.ts";
import { type Finding, missing, warning } from "./finding.ts";
import { addToOperatorFile } from "../../shared/cloudflare/operator-file.ts";

/** The placeholder in wrangler.toml for the id of an account's database. */
export const PLACEHOLDER_ID = /^[0-]*$/;

const withoutScheme = (pattern: string): string => pattern.replace(/^https?:\/\//, "");

/** Returns true if a route's pattern, such as `*.example.com/v1/*`, takes requests for a host. */
function takesHost(pattern: string, host: string): boolean {
  const routed = withoutScheme(pattern).replace(/\/.*$/, "");
  return routed.startsWith("*") ? host.endsWith(routed.slice(1)) : routed === host;
}

/** Returns true if it takes all of them, for any path. */
const takesAllOf = (pattern: string, host: string): boolean =>
  takesHost(pattern, host) && /^[^/]+(?:\/\*)?$/.test(withoutScheme(pattern));

/** The settings that the Worker itself sends requests to, at hosts of the operator's. */
const OWN_SERVICES = ["INFERENCE_URL", "OIDC_JWKS_URL"];

function* checkRoutes({
  route,
  routes,
  workers_dev: workersDev,
  vars,
  file,
}: Configuration): Generator<Finding> {
  const patterns = route === undefined ? routes : [route, ...routes];
  if (workersDev !== false) {
    yield warning(
      "workers_dev",
      "the service also answers at workers.dev, bypassing your domain's rules",
      `set workers_dev = false and preview_urls = false in ${file}`,
    );
  }
  if (patterns.length === 0 && workersDev === false) {
    yield missing(
      "route",
      "the Worker has no address",
      `set routes = [{ pattern = "your.domain", custom_domain = true }] in ${file}, or npm run deploy -- --create --domain your.domain`,
    );
  }
  const host = URL.parse(String(vars["PUBLIC_URL"]))?.host;
  if (host !== undefined && patterns.length > 0 && !patterns.some((pattern) => takesHost(pattern, host))) {
    yield warning(
      "PUBLIC_URL",
      `no route takes ${host}: the inference service's callbacks would not arrive`,
      `make PUBLIC_URL and routes name the same host in ${file}`,
    );
  }
  for (const name of OWN_SERVICES) {
    const service = URL.parse(String(vars[name]))?.host;
    if (service === undefined || !patterns.some((pattern) => takesAllOf(pattern, service))) continue;
    yield missing(
      name,
      `a route of the Worker takes ${service}: its requests would come back to itself`,
      `exclude ${service} from routes in ${file}, or give ${name} another host`,
    );
  }
}

const OBJECTS = ["JOBS", "STREAMS", "WEBHOOKS", "GATEWAY"];
/** By which a JobObject hears that a client has gone. */
const SIGNAL_FLAG = "enable_request_signal";
/** By which a request to another host of the operator's zone arrives as anybody's does: through firewall and Access. */
const PUBLIC_FLAG = "global_fetch_strictly_public";

/** An operator's own file may be older than the clone's wrangler.toml. */
function* checkObjects({ durable_objects: { bindings } }: Configuration): Generator<Finding> {
  for (const name of OBJECTS) {
    if (bindings.some((binding) => binding.name === name)) continue;
    yield missing(
      `Durable Object ${name}`,
      `wrangler.toml has no [[durable_objects.bindings]] with the name ${name}`,
      "copy it, with its [[migrations]], from the wrangler.toml of this version",
    );
  }
}

const addFlag = (flag: string, file: string): string => `add "${flag}" to compatibility_flags in ${file}`;

function* checkFlags({ compatibility_flags: flags, file }: Configuration): Generator<Finding> {
  if (!flags.includes(PUBLIC_FLAG)) {
    yield missing(
      PUBLIC_FLAG,
      "without it, a customer's webhook or import reaches the other hosts of your domain past firewall and Access",
      addFlag(PUBLIC_FLAG, file),
    );
  }
  if (!flags.includes(SIGNAL_FLAG)) {
    yield warning(
      SIGNAL_FLAG,
      "a request that waits for a job is held for up to a minute after its client has gone",
      addFlag(SIGNAL_FLAG, file),
    );
  }
}

const RATE_LIMITS = ["RATE_LIMIT", "ADDRESS_RATE_LIMIT"];

/** The limits that a file from before they existed lacks, as the clone's own has them. */
function* checkRateLimits({ ratelimits, base }: Configuration): Generator<Finding> {
  for (const name of RATE_LIMITS) {
    if (ratelimits.some((limit) => limit.name === name)) continue;
    yield missing(
      `rate limit ${name}`,
      `wrangler.toml has no [[ratelimits]] with the name ${name}`,
      "copy it from the wrangler.toml of this version",
      {
        question: `Add the rate limit ${name} of this version?`,
        run: async () => {
          const { ratelimits: limits } = OfClone.parse(
            parse(await readFile(join(PROJECT_ROOT, DEFAULT_CONFIG), "utf8")),
          );
          const entries = { ratelimits: limits.filter((limit) => limit.name === name) };
          await addToOperatorFile(base, { entries });
        },
      },
    );
  }
}

const OfClone = z.object({
  ratelimits: z.array(
    z.object({
      name: z.string(),
      namespace_id: z.string(),
      simple: z.object({ limit: z.int(), period: z.int() }),
    }),
  ),
});

/** Each database has its id, and is bound once: an account that moved to the same database would be deleted there. */
function* checkDatabases(configuration: Configuration): Generator<Finding> {
  const { command, file } = configuration;
  const databases = accountDatabases(configuration);
  for (const [i, { binding, database_name: name, database_id: id }] of databases.entries()) {
    const isFirst = binding === FIRST_DATABASE;
    const isNamed = !PLACEHOLDER_ID.test(id);
    if (!isNamed) {
      yield missing(
        isFirst ? "database_id" : `database_id of ${binding}`,
        isFirst ? "wrangler.toml still has the placeholder" : "it has none yet",
        `${command(`d1 create ${name}`)}, then put its id into ${file}`,
      );
    }
    const twin = databases
      .slice(0, i)
      .find((other) => other.database_name === name || (isNamed && other.database_id === id));
    if (twin !== undefined)
      yield missing(
        `database ${binding}`,
        `it is the one that is bound as ${twin.binding}`,
        `give ${binding} a database_name and a database_id of its own in ${file}`,
      );
  }
}

/** Checks the configuration alone: database, bucket, objects, limits and address. */
export function* checkConfiguration(configuration: Configuration): Generator<Finding> {
  const { d1_databases: databases, r2_buckets: buckets, vars, file } = configuration;
  if (!databases.some(({ binding }) => binding === FIRST_DATABASE))
    yield missing("database", "wrangler.toml has no [[d1_databases]] with the binding DB", "put it back");
  yield* checkDatabases(configuration);
  const bucket = buckets.find(({ binding }) => binding === "MEDIA");
  if (bucket === undefined) {
    yield missing("bucket", "wrangler.toml has no [[r2_buckets]] with the binding MEDIA", "put it back");
  } else if (vars["S3_BUCKET"] !== undefined && vars["S3_BUCKET"] !== bucket.bucket_name) {
    yield missing(
      "S3_BUCKET",
      `signed URLs would point to another bucket than the binding MEDIA, which is ${bucket.bucket_name}`,
      `set S3_BUCKET = "${bucket.bucket_name}" in [vars] of ${file}`,
    );
  }
  yield* checkObjects(configuration);
  yield* checkFlags(configuration);
  yield* checkRateLimits(configuration);
  yield* checkRoutes(configuration);
}
