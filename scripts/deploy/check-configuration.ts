import type { Configuration } from "./configuration.ts";
import { type Finding, missing, warning } from "./finding.ts";

const PLACEHOLDER_ID = /^[0-]*$/;

const withoutScheme = (pattern: string): string => pattern.replace(/^https?:\/\//, "");

/** Whether a route's pattern, such as `*.example.com/v1/*`, takes requests for a host. */
function takesHost(pattern: string, host: string): boolean {
  const routed = withoutScheme(pattern).replace(/\/.*$/, "");
  return routed.startsWith("*") ? host.endsWith(routed.slice(1)) : routed === host;
}

/** Whether it takes all of them, whatever their path. */
const takesAllOf = (pattern: string, host: string): boolean =>
  takesHost(pattern, host) && /^[^/]+(?:\/\*)?$/.test(withoutScheme(pattern));

/** The settings that the Worker itself sends requests to, at hosts of the operator's. */
const OWN_SERVICES = ["INFERENCE_URL", "OIDC_JWKS_URL"];

function* checkRoutes({ route, routes, workers_dev: workersDev, vars }: Configuration): Generator<Finding> {
  const patterns = route === undefined ? routes : [route, ...routes];
  if (workersDev !== false) {
    yield warning(
      "workers_dev",
      "the service also answers at workers.dev, bypassing your domain's rules",
      "set workers_dev = false and preview_urls = false in wrangler.toml",
    );
  }
  if (patterns.length === 0 && workersDev === false) {
    yield missing(
      "route",
      "the Worker has no address",
      'set routes = [{ pattern = "your.domain", custom_domain = true }] in wrangler.toml',
    );
  }
  const host = URL.parse(String(vars["PUBLIC_URL"]))?.host;
  if (host !== undefined && patterns.length > 0 && !patterns.some((pattern) => takesHost(pattern, host))) {
    yield warning(
      "PUBLIC_URL",
      `no route takes ${host}: the inference service's callbacks would not arrive`,
      "make PUBLIC_URL and routes name the same host in wrangler.toml",
    );
  }
  for (const name of OWN_SERVICES) {
    const service = URL.parse(String(vars[name]))?.host;
    if (service === undefined || !patterns.some((pattern) => takesAllOf(pattern, service))) continue;
    yield missing(
      name,
      `a route of the Worker takes ${service}: its requests would come back to itself`,
      `exclude ${service} from routes in wrangler.toml, or give ${name} another host`,
    );
  }
}

const OBJECTS = ["JOBS", "STREAMS", "WEBHOOKS"];
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

const addFlag = (flag: string): string => `add "${flag}" to compatibility_flags in wrangler.toml`;

function* checkFlags({ compatibility_flags: flags }: Configuration): Generator<Finding> {
  if (!flags.includes(PUBLIC_FLAG)) {
    yield missing(
      PUBLIC_FLAG,
      "without it, a customer's webhook or import reaches the other hosts of your domain past firewall and Access",
      addFlag(PUBLIC_FLAG),
    );
  }
  if (!flags.includes(SIGNAL_FLAG)) {
    yield warning(
      SIGNAL_FLAG,
      "a request that waits for a job is held for up to a minute after its client has gone",
      addFlag(SIGNAL_FLAG),
    );
  }
}

/** Checks what the configuration alone shows: database, bucket, objects and address. */
export function* checkConfiguration(configuration: Configuration): Generator<Finding> {
  const { d1_databases: databases, r2_buckets: buckets, vars, command } = configuration;
  const database = databases.find(({ binding }) => binding === "DB");
  if (database === undefined) {
    yield missing("database", "wrangler.toml has no [[d1_databases]] with the binding DB", "put it back");
  } else if (PLACEHOLDER_ID.test(database.database_id)) {
    yield missing(
      "database_id",
      "wrangler.toml still has the placeholder",
      `${command(`d1 create ${database.database_name}`)}, then put its id into wrangler.toml`,
    );
  }
  const bucket = buckets.find(({ binding }) => binding === "MEDIA");
  if (bucket === undefined) {
    yield missing("bucket", "wrangler.toml has no [[r2_buckets]] with the binding MEDIA", "put it back");
  } else if (vars["S3_BUCKET"] !== undefined && vars["S3_BUCKET"] !== bucket.bucket_name) {
    yield missing(
      "S3_BUCKET",
      `signed URLs would point to another bucket than the binding MEDIA, which is ${bucket.bucket_name}`,
      `set S3_BUCKET = "${bucket.bucket_name}" in [vars] of wrangler.toml`,
    );
  }
  yield* checkObjects(configuration);
  yield* checkFlags(configuration);
  yield* checkRoutes(configuration);
}
