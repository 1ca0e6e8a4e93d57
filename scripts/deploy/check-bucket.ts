import { DEFAULT_POLICY } from "../../src/core/jobs/policy.ts";
import { usedKeptMs } from "../../src/core/uploads/lifetime.ts";
import { SettingsSchema } from "../../src/settings.ts";
import { type Answer, type Cloudflare, sentenceOf, labelledParagraphs } from "./cloudflare.ts";
import type { Configuration } from "./configuration.ts";
import { type Finding, missing, unchecked, warning } from "./finding.ts";

/** Days after the service's own deletion until the bucket deletes what a late writer left. */
const DAYS_OF_GRACE = 3;

const DAY_MS = 86_400_000;

/** For how many days the service keeps what is under each prefix. */
const keptDays = (retentionDays: number): Readonly<Record<string, number>> => ({
  "inputs/": usedKeptMs({ ...DEFAULT_POLICY, retentionMs: retentionDays * DAY_MS }) / DAY_MS,
  "outputs/": retentionDays,
  "archives/": retentionDays,
});

type Rule = ReadonlyMap<string, string>;

/** After how many days a rule deletes objects; null if it does not. */
function expiryDays(rule: Rule): number | null {
  if (rule.get("enabled") !== "Yes") return null;
  const days = /Expire objects after ([\d.]+) days/.exec(rule.get("action") ?? "")?.[1];
  return days === undefined ? null : Number(days);
}

/** Where the entries of closed books are. */
const BOOKS = "ledger/";

/** Whether a rule for this prefix, as Wrangler prints it, is for some or all of the closed books. */
const coversBooks = (prefix: string): boolean =>
  prefix === "(all prefixes)" || prefix.startsWith(BOOKS) || BOOKS.startsWith(prefix);

function* checkLifecycle(
  rules: readonly Rule[],
  bucket: string,
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
    const add = `r2 bucket lifecycle add ${bucket} ${name} ${prefix} --expire-days ${kept + DAYS_OF_GRACE}`;
    if (days.length === 0) {
      yield missing(what, "files left by a late writer would stay forever", command(add));
    } else if (Math.min(...days) <= kept) {
      yield missing(
        what,
        `deletes objects after ${Math.min(...days)} days that the service keeps for ${kept}`,
        `${command(`r2 bucket lifecycle remove ${bucket} --name …`)}, then ${command(add)}`,
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

function* checkCors(rules: readonly Rule[], bucket: string, { command }: Configuration): Generator<Finding> {
  const isServed = (method: string) =>
    rules.some((rule) => ["*", method].some((one) => listOf(rule, "allowed_methods").includes(one)));
  if (isServed("PUT") && isServed("GET")) return;
  yield warning(
    `CORS rules of ${bucket}`,
    "web pages can neither upload files nor read masks",
    `${command(`r2 bucket cors set ${bucket} --file cors.json`)} (docs/operations.md#browsers has the file)`,
  );
}

const isBucketGone = (answer: Answer): boolean =>
  !answer.ok && /bucket does not exist|\[code: 10006\]/i.test(answer.reason);
const hasNoCors = (answer: Answer): boolean =>
  !answer.ok && /CORS configuration does not exist|\[code: 10059\]/i.test(answer.reason);

/** Checks that a bucket exists, and its lifecycle and CORS rules. */
export async function checkBucket(
  cloudflare: Cloudflare,
  configuration: Configuration,
  { bucket_name: bucket, jurisdiction }: Configuration["r2_buckets"][number],
): Promise<Finding[]> {
  const where = jurisdiction === undefined ? [] : ["--jurisdiction", jurisdiction];
  const ask = (rules: string) => cloudflare.ask(["r2", "bucket", rules, "list", bucket, ...where]);
  const lifecycle = await ask("lifecycle");
  if (isBucketGone(lifecycle)) {
    const create = configuration.command(`r2 bucket create ${[bucket, ...where].join(" ")}`);
    return [missing(`bucket ${bucket}`, "does not exist", create)];
  }
  const cors = await ask("cors");
  return [
    ...judge(`lifecycle rules of ${bucket}`, lifecycle, (rules) =>
      checkLifecycle(rules, bucket, configuration),
    ),
    ...judge(`CORS rules of ${bucket}`, hasNoCors(cors) ? { ok: true, output: "" } : cors, (rules) =>
      checkCors(rules, bucket, configuration),
    ),
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
