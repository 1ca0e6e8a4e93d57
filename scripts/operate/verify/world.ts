import { setTimeout as sleep } from "node:timers/promises";
import type { SegmentationClient } from "segmentation-client/node";
import type { MeasuredDatabases } from "./database.ts";
import type { OperatorApi } from "../../shared/database/operator-api.ts";
import type { StateFolder } from "../../shared/state/state-folder.ts";
import type { Made } from "./made.ts";
import type { OwnServer } from "./own-server.ts";

/** The size and the time limits of a verification, in milliseconds. */
export interface Form {
  /** Pictures of the large job. */
  readonly pictures: number;
  /** Pictures of the job that is canceled. */
  readonly cancelled: number;
  /** For how long a request asks to be held back: `Prefer: wait`, in seconds. */
  readonly waitSeconds: number;
  /** Least duration of a stream that proves that silence does not end it. */
  readonly streamMs: number;
  /** From an accepted job to its first task under way. */
  readonly queueMs: number;
  /** Time after which a job, an archive or an event counts as lost. */
  readonly patienceMs: number;
  /** Time limit for the start of a container. */
  readonly coldStartMs: number;
  /** Time for which the service may continue to read the source of an import after the client has gone. */
  readonly letGoMs: number;
  /** The requests per minute of an account, as `RATE_LIMIT` of wrangler.toml has them. */
  readonly perMinute: number;
}

/** As a deployment is verified: within some five minutes. */
export const REMOTE_FORM: Form = {
  pictures: 100,
  cancelled: 3,
  waitSeconds: 60,
  streamMs: 100_000,
  queueMs: 15_000,
  patienceMs: 240_000,
  coldStartMs: 180_000,
  letGoMs: 15_000,
  perMinute: 600,
};

/** For a local stack: within seconds. No proxy is in between that could cut off a silent connection. */
export const LOCAL_FORM: Form = {
  pictures: 4,
  cancelled: 2,
  waitSeconds: 5,
  streamMs: 0,
  queueMs: 15_000,
  patienceMs: 120_000,
  coldStartMs: 0,
  letGoMs: 10_000,
  perMinute: 600,
};

/** The additional parts of a local stack: its folder, and a server on the same machine that it may call. */
export interface Local {
  readonly state: StateFolder;
  readonly server: OwnServer;
  /** Signs with the credentials of the local storage. */
  readonly expiredPut: (uploadUrl: string, contentType: string) => Promise<string>;
}

/** Addresses that the operator names, because a verification has none on the Internet. */
export interface Named {
  readonly webhookUrl?: string | undefined;
  readonly importUrl?: string | undefined;
  readonly protectedUrl?: string | undefined;
}

/** The course of a stream of events. */
export interface StreamEnd {
  /** True if the job's end closed it, and nothing before. */
  readonly ended: boolean;
  readonly livedMs: number;
  /** The longest time without a byte. */
  readonly silentMs: number;
}

/** The environment of the rows. */
export interface World {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly client: SegmentationClient;
  /** Ends all unfinished rows. */
  readonly signal: AbortSignal;
  readonly form: Form;
  readonly named: Named;
  readonly local: Local | null;
  /** The service's databases, or why they cannot be asked. */
  readonly database: MeasuredDatabases | { readonly reason: string };
  /** The operator's API, or why it cannot be asked. */
  readonly operator: OperatorApi | { readonly reason: string };
  /** The queue to which the bucket reports uploads; null if there is none. */
  readonly eventQueue: string | null;
  readonly made: Made;
  /** Results that later rows use. */
  readonly learned: {
    jobId?: string;
    tasks?: readonly string[];
    stream?: Promise<StreamEnd>;
  };
}

/** A request with the account's key. */
export const request = (
  { baseUrl, apiKey, signal }: World,
  method: string,
  path: string,
  {
    body,
    headers = {},
    signal: own = signal,
  }: { body?: object; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> =>
  fetch(baseUrl + path, {
    method,
    signal: own,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });

const LOOK_EVERY_MS = 250;

/** Looks until there is something other than null, or the time is over: then null. */
export async function within<T>(
  ms: number,
  look: () => Promise<T | null>,
  signal: AbortSignal,
): Promise<T | null> {
  for (const until = Date.now() + ms; ;) {
    const seen = await look();
    if (seen !== null || Date.now() > until) return seen;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** Milliseconds as seconds with one digit: "3.2 s". */
export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
