import { readdirSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import type { FakeAccount } from "./account.ts";

/** The result of a Wrangler command: its output and its exit code. */
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

type Bucket = FakeAccount["buckets"][string];

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

const OPTIONS = [
  "config",
  "command",
  "jurisdiction",
  "expire-days",
  "file",
  "event-types",
  "prefix",
  "queue",
] as const;

/** The value of a command's option. */
function optionOf(args: readonly string[], name: (typeof OPTIONS)[number]): string {
  const at = args.indexOf(`--${name}`);
  return at === -1 ? "" : (args[at + 1] ?? "");
}

/** The words of a command, without its options: "queues info segmentation-bulk". */
export const wordsOf = (args: readonly string[]): string =>
  parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    options: Object.fromEntries(OPTIONS.map((name) => [name, { type: "string" }])),
  }).positionals.join(" ");

function eventsOf(name: string, { events }: Bucket): WranglerAnswer {
  if (events.length === 0) return refused("workers.api.error.event_notification_not_found", 11015);
  const rows = events.map(({ queue, prefix, types }, i) => ({
    rule_id: `rule-${i}`,
    created_at: "2026-01-01T00:00:00.000Z",
    queue_name: queue,
    prefix: prefix === "" ? "(all prefixes)" : prefix,
    suffix: "(all suffixes)",
    event_type: types,
  }));
  return prints(`Fetching notification rules for bucket ${name}...\n${rows.map(paragraph).join("\n\n")}`);
}

const Cors = z.object({ rules: z.array(z.object({ allowed: z.object({ methods: z.array(z.string()) }) })) });

/** Answers a command that changes the account, and changes it. Undefined for other commands. */
function changeOf(
  account: FakeAccount,
  words: string,
  args: readonly string[],
  input: string,
): WranglerAnswer | undefined {
  const [, kind, name = ""] =
    /^(d1 create|d1 migrations apply|queues create|r2 bucket create|r2 bucket cors set|r2 bucket notification create|r2 bucket lifecycle add) (\S+)/.exec(
      words,
    ) ?? [];
  const bucket = account.buckets[name];
  const gone = refused("The specified bucket does not exist.", 10006);
  switch (kind ?? words) {
    case "d1 create":
      if (account.databases.some((one) => one.name === name))
        return refused("A database with that name already exists", 7502);
      account.databases.push({
        uuid: `${"1".repeat(8)}-2222-3333-4444-${"5".repeat(11)}${5 + account.databases.length}`,
        name,
      });
      return prints(`✅ Successfully created DB '${name}'`);
    case "queues create":
      if (account.queues.includes(name)) return refused(`Queue name '${name}' is already taken.`, 11009);
      account.queues.push(name);
      return prints(`🌀 Creating queue '${name}'\n✅ Created queue '${name}'`);
    case "r2 bucket create":
      if (bucket !== undefined)
        return refused("The bucket you tried to create already exists, and you own it.", 10004);
      account.buckets[name] = {
        methods: null,
        lifecycle: [{ prefix: "", enabled: true, days: null }],
        events: [],
      };
      return prints(`✅ Created bucket '${name}' with default storage class of Standard.`);
    case "r2 bucket cors set":
      if (bucket === undefined) return gone;
      bucket.methods = Cors.parse(JSON.parse(readFileSync(optionOf(args, "file"), "utf8"))).rules.flatMap(
        ({ allowed }) => allowed.methods,
      );
      return prints(`✨ Set CORS configuration for bucket '${name}'.`);
    case "r2 bucket notification create":
      if (bucket === undefined) return gone;
      bucket.events.push({
        queue: optionOf(args, "queue"),
        prefix: optionOf(args, "prefix"),
        types: "PutObject,CompleteMultipartUpload,CopyObject",
      });
      return prints("Event notification rule created successfully!");
    case "r2 bucket lifecycle add":
      if (bucket === undefined) return gone;
      bucket.lifecycle.push({
        prefix: words.split(" ").at(-1) ?? "",
        enabled: true,
        days: Number(optionOf(args, "expire-days")),
      });
      return prints(`✨ Added lifecycle rule to bucket '${name}'.`);
    case "secret bulk": {
      const values = z.record(z.string(), z.string()).parse(JSON.parse(input));
      account.secrets = [...new Set([...(account.secrets ?? []), ...Object.keys(values)])];
      Object.assign(account.stored, values);
      return prints(`✨ ${Object.keys(values).length} secrets successfully created`);
    }
    case "d1 migrations apply":
      account.applied[name] = readdirSync("migrations");
      return prints("Migrations applied.");
    case "deploy":
      account.deployed = true;
      account.running = ["d1", "secret_text", "analytics_engine"];
      return prints("Deployed segmentation-job-service.");
  }
  return undefined;
}

/** Answers a command as Wrangler 4.124 would for this account, which it may change. `input` is the command's input. */
export function answerOf(account: FakeAccount, args: readonly string[], input = ""): WranglerAnswer {
  const words = wordsOf(args);
  if (words === "whoami") {
    return account.loggedIn
      ? json({
          loggedIn: true,
          authType: "OAuth Token",
          accounts: account.accounts.map((id) => ({ id, name: "An account" })),
        })
      : json({ loggedIn: false }, 1);
  }
  if (!account.loggedIn) {
    return fails("In a non-interactive environment, it's necessary to set a CLOUDFLARE_API_TOKEN");
  }
  if (account.broken.includes(words)) return refused("Authentication error", 10000);
  const change = changeOf(account, words, args, input);
  if (change !== undefined) {
    const isLost = change.exitCode === 0 && account.lost.includes(words);
    return isLost ? fails("The request to the Cloudflare API timed out") : change;
  }
  switch (words) {
    case "d1 list":
      return json(account.databases);
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
  }
  const database = /^d1 execute (\S+)$/.exec(words)?.[1];
  if (database !== undefined) {
    const names = account.applied[database];
    return names === undefined
      ? json({ error: { text: "no such table: d1_migrations: SQLITE_ERROR [code: 7500]" } }, 1)
      : json([{ results: names.map((name) => ({ name })), success: true, meta: {} }]);
  }
  const queue = /^queues info (\S+)$/.exec(words)?.[1];
  if (queue !== undefined) {
    return account.queues.includes(queue)
      ? prints(`Queue Name: ${queue}\nQueue ID: 0\nNumber of Producers: 1`)
      : fails(`Queue "${queue}" does not exist. To create it, run: wrangler queues create ${queue}`);
  }
  const [, kind, name = ""] = /^r2 bucket (lifecycle|cors|notification) list (\S+)$/.exec(words) ?? [];
  if (kind === undefined) return fails(`Unknown arguments: ${words}`);
  const bucket = account.buckets[name];
  if (bucket === undefined) return refused("The specified bucket does not exist.", 10006);
  if (kind === "notification") return eventsOf(name, bucket);
  return kind === "cors" ? corsOf(name, bucket) : lifecycleOf(name, bucket);
}
