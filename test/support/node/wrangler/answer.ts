import { parseArgs } from "node:util";
import type { StandInAccount } from "./account.ts";

/** How a command of Wrangler ends: what it prints, and its exit code. */
export interface WranglerAnswer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const prints = (stdout: string, exitCode = 0): WranglerAnswer => ({
  stdout: `${stdout}\n`,
  stderr: "",
  exitCode,
});
const fails = (text: string): WranglerAnswer => ({
  stdout: "",
  stderr: `✘ [ERROR] ${text}\n\n`,
  exitCode: 1,
});
const refused = (sentence: string, code: number): WranglerAnswer =>
  fails(`A request to the Cloudflare API (/accounts/0) failed.\n\n  ${sentence} [code: ${code}]`);
const json = (value: unknown, exitCode = 0): WranglerAnswer =>
  prints(JSON.stringify(value, null, 2), exitCode);

/** A row as lines `label:  value`, the values aligned. */
function paragraph(row: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(row).map((label) => label.length)) + 3;
  return Object.entries(row)
    .map(([label, value]) => `${label}:`.padEnd(width) + value)
    .join("\n");
}

type Bucket = StandInAccount["buckets"][string];

function lifecycleOf(name: string, { lifecycle }: Bucket): WranglerAnswer {
  const rules = lifecycle.map(({ prefix, enabled, days }, i) => ({
    name: `rule-${i}`,
    enabled: enabled ? "Yes" : "No",
    prefix: prefix === "" ? "(all prefixes)" : prefix,
    action:
      days === null ? "Abort incomplete multipart uploads after 7 days" : `Expire objects after ${days} days`,
  }));
  const list =
    rules.length === 0
      ? `There are no lifecycle rules for bucket '${name}'.`
      : rules.map(paragraph).join("\n\n");
  return prints(`Listing lifecycle rules for bucket '${name}'...\n${list}`);
}

function corsOf(name: string, { methods }: Bucket): WranglerAnswer {
  if (methods === null) return refused("The CORS configuration does not exist.", 10059);
  const rule = {
    allowed_origins: "https://app.example.com",
    allowed_methods: methods.join(", "),
    allowed_headers: "content-type, range",
    exposed_headers: "etag",
    max_age_seconds: "3600",
  };
  return prints(`Listing CORS rules for bucket '${name}'...\n${paragraph(rule)}`);
}

/** The words of a command, without its options: "queues info segmentation-bulk". */
export const wordsOf = (args: readonly string[]): string =>
  parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    options: { config: { type: "string" }, command: { type: "string" }, jurisdiction: { type: "string" } },
  }).positionals.join(" ");

/** Answers a command as Wrangler 4.124 would for this account. */
export function answerOf(account: StandInAccount, args: readonly string[]): WranglerAnswer {
  const words = wordsOf(args);
  if (words === "whoami") {
    return account.loggedIn
      ? json({ loggedIn: true, authType: "OAuth Token" })
      : json({ loggedIn: false }, 1);
  }
  if (!account.loggedIn) {
    return fails("In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN");
  }
  if (account.broken.includes(words)) return refused("Authentication error", 10000);
  switch (words) {
    case "d1 list":
      return json(account.databases);
    case "d1 execute DB":
      return account.applied === null
        ? json({ error: { text: "no such table: d1_migrations: SQLITE_ERROR [code: 7500]" } }, 1)
        : json([{ results: account.applied.map((name) => ({ name })), success: true, meta: {} }]);
    case "secret list":
      return account.secrets === null
        ? fails(
            'Worker "segmentation-job-service" not found.\n\nIf this is a new Worker, run `wrangler deploy` first.',
          )
        : json(account.secrets.map((name) => ({ name, type: "secret_text" })));
    case "deployments status":
      return account.running === null
        ? refused("This Worker does not exist on your account.", 10007)
        : json({ id: "0", versions: [{ version_id: "1-2-3", percentage: 100 }] });
    case "versions view 1-2-3":
      return json({
        id: "1-2-3",
        resources: { bindings: account.running?.map((type) => ({ type, name: type.toUpperCase() })) },
      });
    case "d1 migrations apply DB":
      return prints("Migrations applied.");
    case "deploy":
      return prints("Deployed segmentation-job-service.");
  }
  const queue = /^queues info (\S+)$/.exec(words)?.[1];
  if (queue !== undefined) {
    return account.queues.includes(queue)
      ? prints(`Queue Name: ${queue}\nQueue ID: 0\nNumber of Producers: 1`)
      : fails(`Queue "${queue}" does not exist. To create it, run: wrangler queues create ${queue}`);
  }
  const [, kind, name = ""] = /^r2 bucket (lifecycle|cors) list (\S+)$/.exec(words) ?? [];
  if (kind === undefined) return fails(`Unknown arguments: ${words}`);
  const bucket = account.buckets[name];
  if (bucket === undefined) return refused("The specified bucket does not exist.", 10006);
  return kind === "cors" ? corsOf(name, bucket) : lifecycleOf(name, bucket);
}
