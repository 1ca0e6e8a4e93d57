import { z } from "zod";
import type { ArchiveAnswer, FullJobAnswer } from "../rules/answers.ts";
import { log, reasonOf } from "../../shared/log.ts";

/**
 * Requests of the Worker to a JobObject by fetch and not by RPC, because the answer may take as long as the job: only a fetch
 * notifies the object when the client has disconnected, by `request.signal`.
 */
export const WaiterRequest = z.discriminatedUnion("ask", [
  z.object({ ask: z.enum(["status", "archive"]), accountId: z.string(), waitMs: z.number() }),
  z.object({ ask: z.literal("events"), accountId: z.string(), lastEventId: z.string().nullable() }),
]);
export type WaiterRequest = z.infer<typeof WaiterRequest>;

/**
 * The reasons for the lack of a stream: the job belongs to another account, the client has received its end, or too many streams
 * are open.
 */
export type NoStream = "not_found" | "heard_end" | "job_full" | "account_full";

/** Answer of a JobObject with this reason. */
export const noStream = (why: NoStream): Response => Response.json(why, { status: 409 });

type JobFetcher = Pick<Fetcher, "fetch">;
/** Creates a stub of a JobObject. A stub whose object has shut down cannot be used again. */
type NewStub = () => JobFetcher;

const ask = (object: JobFetcher, query: WaiterRequest): Promise<Response> =>
  object.fetch("https://job.internal/", { method: "POST", body: JSON.stringify(query) });

/** Asks once more, for the remaining time, if the object shuts down meanwhile: at a deployment or when it is moved. */
async function askPatiently(
  object: NewStub,
  query: Extract<WaiterRequest, { waitMs: number }>,
): Promise<Response> {
  const until = Date.now() + query.waitMs;
  try {
    return await ask(object(), query);
  } catch (error) {
    log("info", "wait_resumed", { reason: reasonOf(error) });
    return ask(object(), { ...query, waitMs: Math.max(0, until - Date.now()) });
  }
}

/** Returns a job's status once it has ended, or after `waitMs`; null if the job belongs to another account. */
export async function statusAtEnd(
  object: NewStub,
  accountId: string,
  waitMs: number,
): Promise<FullJobAnswer | null> {
  return (await askPatiently(object, { ask: "status", accountId, waitMs })).json();
}

/** A job's archive once it is ready or has failed, or after `waitMs`. */
export async function archiveAtEnd(
  object: NewStub,
  accountId: string,
  waitMs: number,
): Promise<ArchiveAnswer> {
  return (await askPatiently(object, { ask: "archive", accountId, waitMs })).json();
}

/** The events of a job for a client that has received those up to `lastEventId`. */
export async function jobEvents(
  object: JobFetcher,
  accountId: string,
  lastEventId: string | null,
): Promise<ReadableStream<Uint8Array> | NoStream> {
  const answer = await ask(object, { ask: "events", accountId, lastEventId });
  return answer.ok && answer.body !== null ? answer.body : answer.json<NoStream>();
}
