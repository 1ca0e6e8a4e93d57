import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLoopback } from "../../../src/shared/public-url.ts";
import { DEFAULT_POLICY } from "../../../src/jobs/rules/policy.ts";
import { usedKeptMs } from "../../../src/uploads/rules/lifetime.ts";
import { SettingsSchema } from "../../../src/settings.ts";
import { type Answer, type Cloudflare, sentenceOf, labelledParagraphs } from "./cloudflare.ts";
import { type Configuration, eventQueues } from "../../shared/cloudflare/configuration.ts";
import { type Creation, type Finding, missing, runs, unchecked, warning } from "./finding.ts";

/** Days between the service's deletion and the bucket's, which removes the files of late writers. */
const DAYS_OF_GRACE = 3;

const DAY_MS = 86_400_000;

/** Number of days for which the service keeps the objects under each prefix. */
const keptDays = (retentionDays: number): Readonly<Record<string, number>> => ({
  "inputs/": usedKeptMs({ ...DEFAULT_POLICY, retentionMs: retentionDays * DAY_MS }) / DAY_MS,
  "outputs/": retentionDays,
  "archives/": retentionDays,
});

type Rule = ReadonlyMap<string, string>;

/** A bucket, with the options by which Wrangler finds it. */
interface Place {
  readonly bucket: string;
  readonly where: readonly string[];
}

const NOTHING: Answer = { ok: true, output: "" };

/** After how many days a rule deletes objects; null if it does not. */
function expiryDays(rule: Rule): number | null {
  if (rule.get("enabled") !== "Yes") return null;
  const days = /Expire objects after ([\d.]+) days/.exec(rule.get("action") ?? "")?.[1];
  return days === undefined ? null : Number(days);
}

/** The prefix of the entries of closed books. */
const BOOKS = "ledger/";

/** Returns true if a rule for this prefix, as Wrangler prints it, applies to some or all of the closed books. */
const coversBooks = (prefix: string): boolean =>
  prefix === "(all prefixes)" || prefix.startsWith(BOOKS) || BOOKS.startsWith(prefix);

function* checkLifecycle(
  rules: readonly Rule[],
  { bucket, where }: Place,
  { vars, command }: Configuration,
): Generator<Finding> {
  const retention = SettingsSchema.shape.RETENTION_DAYS.catch(30).parse(vars["RETENTION_DAYS"]);
  for (const [prefix, kept] of Object.entries(keptDays(retention))) {
    const days = rules
      .filter((rule) => rule.get("prefix") === prefix)
      .map(expiryDays)
      .filter((found) => found !== null);
    const what = `lifecycle rule for ${prefix}`;
    const name = prefix.replace("/", "");
    const expire = ["--expire-days", String(kept + DAYS_OF_GRACE)];
    const add = ["r2", "bucket", "lifecycle", "add", bucket, name, prefix, ...expire, ...where];
    if (days.length === 0) {
      yield missing(what, "files left by a late writer would stay forever", command(add.join(" ")), {
        question: `Add the ${what} to ${bucket}: delete after ${kept + DAYS_OF_GRACE} days?`,
        run: runs(add),
      });
    } else if (Math.min(...days) <= kept) {
      yield missing(
        what,
        `deletes objects after ${Math.min(...days)} days that the service keeps for ${kept}`,
        `${command(`r2 bucket lifecycle remove ${bucket} --name …`)}, then ${command(add.join(" "))}`,
      );
    }
  }
  for (const rule of rules) {
    if (!coversBooks(rule.get("prefix") ?? "") || expiryDays(rule) === null) continue;
    yield missing(
      `lifecycle rule ${rule.get("name")}`,
      `deletes objects under ${BOOKS}, the only copy of the closed books`,
      command(`r2 bucket lifecycle remove ${bucket} --name ${rule.get("name")}`),
    );
  }
}

const listOf = (rule: Rule, label: string): string[] => (rule.get(label) ?? "").split(", ");

/** The rule for the studio's own page, as in docs/operations/deploy.md#browsers. */
const corsRules = (origin: string): string =>
  JSON.stringify({
    rules: [
      {
        allowed: { origins: [origin], methods: ["PUT", "GET", "HEAD"], headers: ["content-type", "range"] },
        exposeHeaders: ["etag", "content-length", "content-range"],
        maxAgeSeconds: 3600,
      },
    ],
  });

/** Wrangler reads rules from a file only. */
function setCors({ bucket, where }: Place, origin: string): Creation {
  return {
    question: `Let the pages of ${origin} upload to ${bucket} and read from it?`,
    run: async ({ run }) => {
      const folder = await mkdtemp(join(tmpdir(), "cors-"));
      try {
        const file = join(folder, "cors.json");
        await writeFile(file, corsRules(origin));
        await run(["r2", "bucket", "cors", "set", bucket, "--file", file, "--force", ...where]);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  };
}

function* checkCors(
  rules: readonly Rule[],
  place: Place,
  { command, vars }: Configuration,
): Generator<Finding> {
  const isServed = (method: string) =>
    rules.some((rule) => ["*", method].some((one) => listOf(rule, "allowed_methods").includes(one)));
  if (isServed("PUT") && isServed("GET")) return;
  const { bucket } = place;
  const page = URL.parse(String(vars["PUBLIC_URL"]));
  // Rules that somebody has set would be lost.
  const isNew = rules.length === 0 && page !== null && !isLoopback(page.href);
  yield warning(
    `CORS rules of ${bucket}`,
    "web pages can neither upload files nor read masks",
    `${command(`r2 bucket cors set ${bucket} --file cors.json`)} (docs/operations/deploy.md#browsers has the file)`,
    isNew ? setCors(place, page.origin) : undefined,
  );
}

const isBucketGone = (answer: Answer): boolean =>
  !answer.ok && /bucket does not exist|\[code: 10006\]/i.test(answer.reason);
const hasNoEvents = (answer: Answer): boolean =>
  !answer.ok && /notification\S* \S*(?:not|no)\b|\[code: 1101\d\]/i.test(answer.reason);
const hasNoCors = (answer: Answer): boolean =>
  !answer.ok && /CORS configuration does not exist|\[code: 10059\]/i.test(answer.reason);

/** A queue that the bucket fills: it reports each upload there. */
const EVENTS = { prefix: "inputs/", action: "PutObject" } as const;

function* checkEvents(
  rules: readonly Rule[],
  { bucket, where }: Place,
  queue: string,
  { command }: Configuration,
): Generator<Finding> {
  const reports = (rule: Rule) =>
    rule.get("queue_name") === queue &&
    listOf(rule, "event_type").some((types) => types.split(",").includes(EVENTS.action)) &&
    ["(all prefixes)", EVENTS.prefix].includes(rule.get("prefix") ?? "");
  if (rules.some(reports)) return;
  const what = ["--event-types", "object-create", "--prefix", EVENTS.prefix, "--queue", queue];
  const add = ["r2", "bucket", "notification", "create", bucket, ...what, ...where];
  yield missing(
    `events of ${bucket}`,
    `the bucket does not report uploads to ${queue}: the size of a file that was uploaded without one is known only after the inspection of the five-minute cron`,
    command(add.join(" ")),
    { question: `Let ${bucket} report uploads to ${queue}?`, run: runs(add) },
  );
}

/** Checks that a bucket exists, its lifecycle and CORS rules, and to which queue it reports uploads. */
export async function checkBucket(
  cloudflare: Cloudflare,
  configuration: Configuration,
  { bucket_name: bucket, jurisdiction }: Configuration["r2_buckets"][number],
): Promise<Finding[]> {
  const where = jurisdiction === undefined ? [] : ["--jurisdiction", jurisdiction];
  const place = { bucket, where };
  const ask = (rules: string) => cloudflare.ask(["r2", "bucket", rules, "list", bucket, ...where]);
  const lifecycle = await ask("lifecycle");
  if (isBucketGone(lifecycle)) {
    const create = ["r2", "bucket", "create", bucket, ...where];
    const creation = { question: `Create the bucket ${bucket}?`, run: runs(create) };
    const mend = configuration.command(create.join(" "));
    return [missing(`bucket ${bucket}`, "does not exist", mend, creation)];
  }
  const cors = await ask("cors");
  const events: Finding[] = [];
  for (const queue of eventQueues(configuration)) {
    const answer = await ask("notification");
    events.push(
      ...judge(`events of ${bucket}`, hasNoEvents(answer) ? NOTHING : answer, (rules) =>
        checkEvents(rules, place, queue, configuration),
      ),
    );
  }
  return [
    ...judge(`lifecycle rules of ${bucket}`, lifecycle, (rules) =>
      checkLifecycle(rules, place, configuration),
    ),
    ...judge(`CORS rules of ${bucket}`, hasNoCors(cors) ? NOTHING : cors, (rules) =>
      checkCors(rules, place, configuration),
    ),
    ...events,
  ];
}

/** Checks the rules in an answer, or says why there is none. */
function judge(
  what: string,
  answer: Answer,
  check: (rules: readonly Rule[]) => Iterable<Finding>,
): Finding[] {
  if (answer.ok) return [...check(labelledParagraphs(answer.output))];
  return [unchecked(what, sentenceOf(answer.reason))];
}
