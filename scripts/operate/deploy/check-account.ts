import { readdir } from "node:fs/promises";
import { FIRST_DATABASE } from "../../../src/shared/storage/databases.ts";
import { mapPool } from "../../../src/shared/pool.ts";
import { Failure } from "../../shared/command-line.ts";
import { checkBucket } from "./check-bucket.ts";
import {
  type Cloudflare,
  read,
  sentenceOf,
  Databases,
  jsonIn,
  MigrationNames,
  Secrets,
  WhoAmI,
  Deployment,
  Version,
} from "./cloudflare.ts";
import { PLACEHOLDER_ID } from "./check-configuration.ts";
import {
  accountDatabases,
  type BoundDatabase,
  type Configuration,
  eventQueues,
  migrationsFolder,
  queueNames,
} from "../../shared/cloudflare/configuration.ts";
import { type Finding, missing, pending, runs, unchecked, warning } from "./finding.ts";
import { addToOperatorFile } from "../../shared/cloudflare/operator-file.ts";

/** The account's answers. */
export interface AccountReport {
  readonly findings: readonly Finding[];
  /** The names of the secrets that are set; null if they are not known. */
  readonly secrets: ReadonlySet<string> | null;
  /** Null if it is not known which of several it is. */
  readonly accountId: string | null;
}

async function checkDatabase(
  cloudflare: Cloudflare,
  configuration: Configuration,
  database: BoundDatabase,
): Promise<Finding[]> {
  const { database_name: name, database_id: id } = database;
  const what = `database ${name}`;
  const answer = read(await cloudflare.ask(["d1", "list", "--json"]), Databases);
  if ("reason" in answer) return [unchecked(what, sentenceOf(answer.reason))];
  if (answer.value.some(({ uuid }) => uuid === id))
    return checkMigrations(cloudflare, configuration, database);
  const sameName = answer.value.find((one) => one.name === name);
  const problem = "the account has no database with this id";
  const { command, file } = configuration;
  // An id that somebody wrote may be of another account: then nothing is created here, and it stays.
  const isOpen = PLACEHOLDER_ID.test(id);
  if (sameName !== undefined) {
    const creation = {
      question: `Use the account's database ${name} (${sameName.uuid})?`,
      run: () => nameDatabase(configuration, database, sameName.uuid),
    };
    const mend = `set database_id = "${sameName.uuid}" in ${file}`;
    return [missing(what, problem, mend, isOpen ? creation : undefined)];
  }
  const creation = {
    question: `Create the database ${name}?`,
    run: async ({ run }: Cloudflare) => {
      await run(["d1", "create", name]);
      const made = Databases.parse(jsonIn(await run(["d1", "list", "--json"]))).find(
        (one) => one.name === name,
      );
      if (made === undefined) throw new Failure(`Cloudflare does not list the new database ${name} yet.`);
      await nameDatabase(configuration, database, made.uuid);
    },
  };
  const mend = `${command(`d1 create ${name}`)}, then put its id into ${file}`;
  return [missing(what, problem, mend, isOpen ? creation : undefined)];
}

const nameDatabase = ({ base }: Configuration, { binding }: BoundDatabase, id: string): Promise<void> =>
  addToOperatorFile(base, { entries: { d1_databases: [{ binding, database_id: id }] } });

async function checkMigrations(
  cloudflare: Cloudflare,
  configuration: Configuration,
  database: BoundDatabase,
): Promise<Finding[]> {
  const { binding, database_name: databaseName } = database;
  const folder = await readdir(migrationsFolder(configuration, database));
  const files = folder.filter((name) => name.endsWith(".sql"));
  const command = "SELECT name FROM d1_migrations ORDER BY id";
  const answer = await cloudflare.ask([
    "d1",
    "execute",
    binding,
    "--remote",
    "--json",
    "--yes",
    "--command",
    command,
  ]);
  const whatOf = (name: string): string =>
    binding === FIRST_DATABASE ? `migration ${name}` : `migration ${name} of ${databaseName}`;
  const isNew = !answer.ok && /no such table/.test(answer.reason);
  const names = isNew ? { value: [{ results: [] }] } : read(answer, MigrationNames);
  if ("reason" in names)
    return [
      unchecked(
        binding === FIRST_DATABASE ? "migrations" : `migrations of ${databaseName}`,
        sentenceOf(names.reason),
      ),
    ];
  const applied = new Set(names.value[0].results.map(({ name }) => name));
  const due = files.filter((name) => !applied.has(name)).toSorted();
  const foreign = [...applied].filter((name) => !files.includes(name));
  return [
    ...due.map((name): Finding =>
      pending(
        whatOf(name),
        "not applied yet",
        configuration.command(`d1 migrations apply ${binding} --remote`),
      ),
    ),
    ...foreign.map((name): Finding =>
      warning(
        whatOf(name),
        "the database has it, but this checkout does not: it is older than the deployed version",
        "deploy the version that has it, unless you intend to roll back",
      ),
    ),
  ];
}

async function checkQueue(
  cloudflare: Cloudflare,
  { command }: Configuration,
  queue: string,
): Promise<Finding[]> {
  const answer = await cloudflare.ask(["queues", "info", queue]);
  if (answer.ok) return [];
  const what = `queue ${queue}`;
  if (!/does not exist/.test(answer.reason)) return [unchecked(what, sentenceOf(answer.reason))];
  const creation = { question: `Create the queue ${queue}?`, run: runs(["queues", "create", queue]) };
  return [missing(what, "does not exist", command(`queues create ${queue}`), creation)];
}

/** A Worker that was never deployed has no secrets yet. */
async function readSecrets(cloudflare: Cloudflare): Promise<Omit<AccountReport, "accountId">> {
  const answer = await cloudflare.ask(["secret", "list"]);
  if (!answer.ok && /not found/.test(answer.reason)) return { findings: [], secrets: new Set() };
  const names = read(answer, Secrets);
  return "reason" in names
    ? { findings: [unchecked("secrets", sentenceOf(names.reason))], secrets: null }
    : { findings: [], secrets: new Set(names.value.map(({ name }) => name)) };
}

/** The ids of the accounts; null if nobody is logged in: then Wrangler also fails, and its output says so. */
export async function readAccounts(cloudflare: Cloudflare): Promise<readonly string[] | null> {
  const answer = await cloudflare.ask(["whoami", "--json"]);
  const who = answer.ok ? WhoAmI.safeParse(jsonIn(answer.output)).data : undefined;
  return who?.loggedIn === true ? who.accounts.map(({ id }) => id) : null;
}

/** Each answer takes about a second, most of it Wrangler's start. */
const AT_A_TIME = 4;

/**
 * Asks the account for everything that the configuration names.
 * @param accounts those that Wrangler may use; null if it is not logged in
 */
export async function checkAccount(
  cloudflare: Cloudflare,
  configuration: Configuration,
  accounts: readonly string[] | null,
): Promise<AccountReport> {
  const { r2_buckets: buckets } = configuration;
  const queues = queueNames(configuration);
  if (accounts === null) {
    const everything = [
      ...accountDatabases(configuration).flatMap(({ database_name: name }) => [
        `database ${name}`,
        "migrations",
      ]),
      ...queues.map((queue) => `queue ${queue}`),
      ...buckets.flatMap(({ bucket_name: name }) => [
        `bucket ${name}`,
        `CORS rules of ${name}`,
        `lifecycle rules of ${name}`,
        ...eventQueues(configuration).map(() => `events of ${name}`),
      ]),
      ...(configuration.analytics_engine_datasets.length === 0 ? [] : [ANALYTICS_ENGINE]),
      "secrets",
    ];
    return {
      findings: everything.map((what) => unchecked(what, "not logged in", "npx wrangler login")),
      secrets: null,
      accountId: null,
    };
  }
  const named = configuration.account_id ?? process.env["CLOUDFLARE_ACCOUNT_ID"];
  const accountId = named ?? (accounts.length === 1 ? accounts[0] : undefined) ?? null;
  const secrets = await readSecrets(cloudflare);
  const checks = [
    ...accountDatabases(configuration).map(
      (database) => () => checkDatabase(cloudflare, configuration, database),
    ),
    ...queues.map((queue) => () => checkQueue(cloudflare, configuration, queue)),
    ...buckets.map((bucket) => () => checkBucket(cloudflare, configuration, bucket)),
    () => checkAnalytics(cloudflare, configuration),
  ];
  const found = await mapPool(checks, AT_A_TIME, (check) => check());
  return { findings: [...secrets.findings, ...found.flat()], secrets: secrets.secrets, accountId };
}

/** The part of the account that a configuration with a dataset needs. */
const ANALYTICS_ENGINE = "Analytics Engine";

/** Returns true if a running version writes to Analytics Engine: then the account has it. */
async function isInUse(cloudflare: Cloudflare): Promise<boolean> {
  const deployment = read(await cloudflare.ask(["deployments", "status", "--json"]), Deployment);
  if ("reason" in deployment) return false;
  const [{ version_id: id }] = deployment.value.versions;
  const version = read(await cloudflare.ask(["versions", "view", id, "--json"]), Version);
  if ("reason" in version) return false;
  return version.value.resources.bindings.some(({ type }) => type === "analytics_engine");
}

/**
 * Cloudflare refuses to deploy a dataset on an account on which nobody has enabled Analytics Engine, and Wrangler can't ask
 * whether somebody has: only a successful deployment shows it.
 */
async function checkAnalytics(
  cloudflare: Cloudflare,
  { analytics_engine_datasets: datasets }: Configuration,
): Promise<Finding[]> {
  if (datasets.length === 0 || (await isInUse(cloudflare))) return [];
  return [
    warning(
      ANALYTICS_ENGINE,
      "cannot be checked; if the account has not enabled it, Cloudflare refuses the deployment (code 10089)",
      "enable it once in Cloudflare's dashboard (docs/operations/monitoring.md#dashboards-and-alarms), or remove [[analytics_engine_datasets]] from wrangler.toml",
    ),
  ];
}
