import { COMMENT_TEXT, hasReceivedEnd, nextEvents, NOTHING_SENT, textOf } from "../rules/event-stream.ts";
import { archiveEnd, hasEnded, ownedBy, type JobState } from "../rules/state.ts";
import { MOST_STREAMS, STREAMS_REPORTED_EVERY_MS } from "../rules/waiters.ts";
import type { JobRpc } from "../store/rpc.ts";
import { noStream, WaiterRequest } from "../store/long-requests.ts";
import type { JobCell } from "./job-cell.ts";

/** A stream without events for this long sends a comment. */
const COMMENT_EVERY_MS = 15_000;
/** A stream lasts no longer. The client reconnects, and its credential is checked again. */
const LONGEST_STREAM_MS = 3_600_000;

const isJobOver = ({ tasks }: JobState): boolean => hasEnded(tasks);
const isArchiveOver = ({ archive }: JobState): boolean => archive === null || archiveEnd(archive) !== null;

/** The RPC methods that answer a waiter. */
type Answers = Pick<JobRpc, "status" | "archive">;

/**
 * The clients that wait for a job: requests that are answered at its end, and streams of its events. They sleep until the job
 * changes; nothing is read meanwhile. A client that disconnects is forgotten at once.
 */
export class JobWaiters {
  readonly #cell: JobCell;
  readonly #answers: Answers;
  readonly #places: StreamPlaces;
  #waits = 0;

  constructor(cell: JobCell, answers: Answers, places: StreamPlaces) {
    this.#cell = cell;
    this.#answers = answers;
    this.#places = places;
  }

  /** The numbers of waiting requests and open streams. */
  get count(): { readonly waits: number; readonly streams: number } {
    return { waits: this.#waits, streams: this.#places.count };
  }

  /** Answers a query of store/long-requests.ts, as late as it asks. */
  async answer(request: Request): Promise<Response> {
    const query = WaiterRequest.parse(await request.json());
    const { accountId } = query;
    switch (query.ask) {
      case "status":
        await this.#until(isJobOver, accountId, query.waitMs, request.signal);
        return Response.json(this.#answers.status(accountId));
      case "archive":
        await this.#until(isArchiveOver, accountId, query.waitMs, request.signal);
        return Response.json(this.#answers.archive(accountId));
      case "events":
        return this.#stream(accountId, query.lastEventId, request.signal);
    }
  }

  /** Waits until the job has ended, the job no longer belongs to the account, the time has passed or the client has gone. */
  async #until(
    isOver: (state: JobState) => boolean,
    accountId: string,
    waitMs: number,
    signal: AbortSignal,
  ): Promise<void> {
    const until = Date.now() + waitMs;
    this.#waits += 1;
    try {
      while (!signal.aborted) {
        const state = ownedBy(this.#cell.state, accountId);
        const left = until - Date.now();
        if (state === null || isOver(state) || left <= 0) return;
        await this.#cell.changes.next(left, signal);
      }
    } finally {
      this.#waits -= 1;
    }
  }

  async #stream(accountId: string, lastEventId: string | null, gone: AbortSignal): Promise<Response> {
    const state = ownedBy(this.#cell.state, accountId);
    if (state === null) return noStream("not_found");
    if (hasReceivedEnd(state, lastEventId)) return noStream("heard_end");
    // Sends everything at once, so the stream needs no place.
    if (hasEnded(state.tasks))
      return new Response(textOf(nextEvents(NOTHING_SENT, state, Date.now()).events));
    const place = await this.#places.take();
    if (place !== "taken") return noStream(place);
    const over = new AbortController();
    const end = (): void => over.abort();
    // A client that neither reads nor disconnects must not keep the object awake.
    const timer = setTimeout(end, LONGEST_STREAM_MS);
    over.signal.addEventListener("abort", () => {
      clearTimeout(timer);
      void this.#places.leave();
    });
    gone.addEventListener("abort", end);
    if (gone.aborted) end();
    return new Response(streamOf(this.#texts(accountId, over.signal), end));
  }

  /** The stream's chunks: events as they come, comments in between; until the end, or until `over`. */
  async *#texts(accountId: string, over: AbortSignal): AsyncGenerator<string, void> {
    const begunAt = Date.now();
    let [sent, sentAt] = [NOTHING_SENT, begunAt];
    while (!over.aborted && !sent.ended) {
      const now = Date.now();
      const state = ownedBy(this.#cell.state, accountId);
      if (state === null || now >= begunAt + LONGEST_STREAM_MS) return;
      const { checkAt, events, ...next } = nextEvents(sent, state, now);
      ({ sent } = next);
      const text = textOf(events) || (now >= sentAt + COMMENT_EVERY_MS ? COMMENT_TEXT : "");
      if (text === "") {
        const wakeAt = Math.min(checkAt ?? Infinity, sentAt + COMMENT_EVERY_MS);
        await this.#cell.changes.next(wakeAt - now, over);
      } else {
        // The platform holds an answer back until the state is durable, but not what follows in its body.
        await this.#cell.storage.sync();
        yield text;
        sentAt = Date.now();
      }
    }
  }
}

/** Returns a body of these strings, each generated once the client has taken the previous one. Calls `onEnd` at any end. */
function streamOf(texts: AsyncGenerator<string, void>, onEnd: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await texts.next();
          if (!done) return controller.enqueue(encoder.encode(value));
          controller.close();
          onEnd();
        } catch (error) {
          onEnd();
          throw error;
        }
      },
      cancel: onEnd,
    },
    { highWaterMark: 0 },
  );
}

/** Counts the open streams of one job, and reports them to the account's count. */
export class StreamPlaces {
  readonly #say: (count: number) => Promise<boolean>;
  #count = 0;
  #saying: ReturnType<typeof setInterval> | undefined;

  /** @param say reports the number to the account's count; resolves to false if it admits no more, and never rejects */
  constructor(say: (count: number) => Promise<boolean>) {
    this.#say = say;
  }

  get count(): number {
    return this.#count;
  }

  /** Takes a place for a stream, or returns which limit it exceeds. */
  async take(): Promise<"taken" | "job_full" | "account_full"> {
    if (this.#count >= MOST_STREAMS.job) return "job_full";
    this.#count += 1;
    if (!(await this.#say(this.#count))) {
      this.#count -= 1;
      return "account_full";
    }
    this.#saying ??= setInterval(() => void this.#say(this.#count), STREAMS_REPORTED_EVERY_MS);
    return "taken";
  }

  async leave(): Promise<void> {
    this.#count -= 1;
    if (this.#count === 0) {
      clearInterval(this.#saying);
      this.#saying = undefined;
    }
    await this.#say(this.#count);
  }
}
