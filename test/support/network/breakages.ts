import { join } from "node:path";
import type { Breakage, Passing } from "./breaking-proxy.ts";
import { type Broken, SMALL, type VerifiedStack } from "../stack/verified-stack.ts";

/** The row of the deletion, which `--only` does not accept. */
export const DELETED = "what it made is deleted";

/** A row of the verification, and the breakage that it must detect. */
export interface BrokenRow {
  readonly row: string;
  readonly how: string;
  /** The row's message about it. */
  readonly seen: RegExp;
  readonly broken: (stack: VerifiedStack) => Broken | Promise<Broken>;
}

/** Breakages with their titles, for a table of tests. */
export const named = (rows: readonly BrokenRow[]) => rows.map((row) => [row.row, row.how, row] as const);

/** A storage that refuses nothing. */
const ALLOWS_ALL: Breakage = {
  edit: (answer) => (answer.status === 403 ? { ...answer, status: 200 } : answer),
};

const error = (status: number, code: string) => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ error: code, message: "Broken on purpose." }),
});

const isCall = ({ method, path }: Passing, asked: string, where: RegExp): boolean =>
  method === asked && where.test(path);

/** Answers a call with an error. */
const failing = (method: string, path: RegExp, status: number, code: string): Breakage => ({
  answer: (request) => (isCall(request, method, path) ? error(status, code) : undefined),
});

/** Changes the JSON that a call is answered with. */
const changing = (
  method: string,
  path: RegExp,
  change: (body: Record<string, unknown>) => object,
): Breakage => ({
  edit: (answer, request) =>
    isCall(request, method, path)
      ? { ...answer, body: JSON.stringify(change(JSON.parse(String(answer.body)))) }
      : answer,
});

const withOneAttempt = (item: { attempts: unknown[] }) => ({ ...item, attempts: item.attempts.slice(0, 1) });

/** Breakages that cost no task, or a task that never runs. */
export const QUICK_BREAKAGES: readonly BrokenRow[] = [
  {
    row: "health",
    how: "a service without its settings",
    seen: /answers 500/,
    broken: () => ({ service: failing("GET", /^\/healthz/, 500, "internal_error") }),
  },
  {
    row: "key",
    how: "the key of a trial",
    seen: /the account is trial/,
    broken: async (stack) => ({ apiKey: (await stack.account("trial")).secret }),
  },
  {
    row: "key",
    how: "an unknown key",
    seen: /key|credential/i,
    broken: () => ({ apiKey: "sk_live_wrong" }),
  },
  {
    row: "own address",
    how: "another PUBLIC_URL",
    seen: /does not take that for its own address/,
    broken: () => ({ service: {} }),
  },
  {
    row: "model",
    how: "no inference service",
    seen: /Broken on purpose/,
    broken: () => ({ service: failing("GET", /^\/v1\/model/, 404, "not_found") }),
  },
  {
    row: "signed PUT of another type",
    how: "a proxy that sets the type",
    seen: /answers 200 to another content type/,
    broken: () => ({
      storage: {
        send: (request) => ({ ...request, headers: { ...request.headers, "content-type": "image/png" } }),
      },
    }),
  },
  {
    row: "signed PUT of another length",
    how: "storage without signatures",
    seen: /answers 200 to another length/,
    broken: () => ({ storage: ALLOWS_ALL }),
  },
  {
    row: "upload in parts",
    how: "storage without signatures",
    seen: /answers 200 to a part of another length/,
    broken: () => ({ storage: ALLOWS_ALL }),
  },
  {
    row: "late PUT",
    how: "storage without signatures",
    seen: /answers 200 to a URL/,
    broken: () => ({ storage: ALLOWS_ALL }),
  },
  {
    row: "CORS of the bucket",
    how: "a bucket without CORS",
    seen: /may not upload/,
    broken: () => ({
      storage: { answer: ({ method }) => (method === "OPTIONS" ? { status: 403 } : undefined) },
    }),
  },
  {
    row: "events of the bucket",
    how: "a bucket that reports nothing",
    seen: /no report of an upload/,
    broken: () => ({
      storage: { answer: ({ method }) => (method === "PUT" ? { status: 200 } : undefined) },
      form: { ...SMALL, patienceMs: 2_000 },
    }),
  },
  {
    row: "a job of many pictures",
    how: "a daily limit",
    seen: /Broken on purpose/,
    broken: () => ({ service: failing("POST", /^\/v1\/jobs$/, 402, "daily_limit_reached") }),
  },
  {
    row: "cancel",
    how: "a job that goes on",
    seen: /that was canceled is processing/,
    broken: () => ({
      service: changing("POST", /\/cancel$/, (job) => ({ ...job, status: "processing" })),
    }),
  },
  {
    row: "a webhook",
    how: "an address that refuses",
    seen: /answers 500/,
    broken: async (stack) => ({ named: { webhookUrl: await stack.elsewhere("/refuses") } }),
  },
  {
    row: "an alarm in the future",
    how: "an alarm that never fires",
    seen: /was not repeated/,
    broken: () => ({
      service: changing("GET", /\/deliveries/, ({ items, ...list }) => ({
        ...list,
        items: Array.isArray(items) ? items.map(withOneAttempt) : [],
      })),
      form: { ...SMALL, patienceMs: 2_000 },
    }),
  },
  {
    row: "a fetch to the own zone",
    how: "a host that it should not reach",
    seen: /got through/,
    broken: async (stack) => ({ named: { protectedUrl: await stack.elsewhere("/picture") } }),
  },
  {
    row: "log and metrics",
    how: "a log that goes elsewhere",
    seen: /has no line of the request/,
    broken: ({ state }) => ({
      state: { ...state, logs: join(state.path, "nowhere") },
      form: { ...SMALL, letGoMs: 300 },
    }),
  },
  {
    row: "rate limit",
    how: "no limiter",
    seen: /none of 25 requests was refused/,
    broken: () => ({
      service: { edit: (answer) => (answer.status === 429 ? { ...answer, status: 200 } : answer) },
      form: { ...SMALL, perMinute: 10 },
    }),
  },
  {
    row: DELETED,
    how: "an upload that stays",
    seen: /could not be deleted/,
    broken: () => ({
      only: ["signed PUT of another type"],
      service: failing("DELETE", /^\/v1\/uploads/, 409, "upload_in_use"),
    }),
  },
];

/** Breakages that cost tasks, or seconds. */
export const SLOW_BREAKAGES: readonly BrokenRow[] = [
  {
    row: "a job of one picture",
    how: "storage that gives nothing back",
    seen: /storage/i,
    broken: () => ({ storage: { answer: ({ method }) => (method === "GET" ? { status: 403 } : undefined) } }),
  },
  {
    row: "queue's delay",
    how: "a stalled queue",
    seen: /no task was under way/,
    broken: () => ({
      service: { delayMs: ({ path }) => (path.endsWith("/events") ? 3_000 : undefined) },
      form: { ...SMALL, queueMs: 500 },
    }),
  },
  {
    row: "a wait",
    how: "a proxy with a short timeout",
    seen: /got 504/,
    broken: () => ({
      service: { cutAfterMs: ({ headers }) => (headers["prefer"] === undefined ? undefined : 1) },
    }),
  },
  {
    row: "a stream",
    how: "a proxy with a short timeout",
    seen: /cut off|answered with 504/,
    broken: () => ({ service: { cutAfterMs: ({ path }) => (path.endsWith("/events") ? 20 : undefined) } }),
  },
  {
    row: "the results of many pictures",
    how: "uploads that arrive broken",
    seen: /2 of 2 tasks failed/,
    // Keeps the header and the length, which is signed.
    broken: () => ({
      storage: { send: (request) => ({ ...request, body: Buffer.from(request.body).fill(0, 100) }) },
    }),
  },
  {
    row: "a zip",
    how: "downloads that are cut",
    seen: /cannot be read/,
    broken: () => ({
      storage: {
        edit: (answer, { path }) =>
          path.includes("/archives/")
            ? { ...answer, body: Buffer.from(answer.body).subarray(0, 100) }
            : answer,
      },
    }),
  },
  {
    row: "an import whose client goes away",
    how: "a proxy that swallows the abort",
    seen: /still reads its source/,
    broken: () => ({ service: { swallowsAborts: true }, form: { ...SMALL, letGoMs: 2_000 } }),
  },
];
