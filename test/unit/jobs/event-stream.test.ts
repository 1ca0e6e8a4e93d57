import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  COMMENT_TEXT,
  hasReceivedEnd,
  nextEvents,
  NOTHING_SENT,
  textOf,
  type JobEvent,
  type Sent,
} from "../../../src/jobs/rules/event-stream.ts";
import { policy } from "../../support/job-policy.ts";
import { jobProgress, jobView } from "../../../src/jobs/rules/rollup.ts";
import { hasEnded, type JobState } from "../../../src/jobs/rules/state.ts";
import { cancelTasks, claimTask, extendTask } from "../../../src/jobs/rules/tasks.ts";
import { EventReader } from "../../support/event-stream.ts";
import { accepted, BEGIN, imageJob, successfulJob } from "../../support/a-job.ts";
import { anyEvent, batchOf, step, type AnyEvent } from "../../support/any-event.ts";

/** An event of the job, then a pause; the stream reads the job, or its client is too slow for that. */
interface Moment {
  readonly event: AnyEvent;
  readonly ms: number;
  readonly looks: boolean;
}
const anyMoment: fc.Arbitrary<Moment> = fc.record({
  event: anyEvent,
  ms: fc.integer({ min: 0, max: 400 }),
  looks: fc.boolean(),
});
/** The numbers of sent events after which a client's connection breaks. */
const anyCuts = fc.array(fc.nat(40), { maxLength: 4 });

/** A client that reconnects with its Last-Event-ID whenever its connection breaks. */
class Client {
  readonly heard: (JobEvent & { at: number })[] = [];
  readonly #cuts: Set<number>;
  #sent: Sent = NOTHING_SENT;
  #lastEventId: string | null = null;
  checkAt: number | null = null;
  connections = 1;
  isOver = false;

  constructor(cuts: readonly number[]) {
    this.#cuts = new Set(cuts);
  }

  look(state: JobState, now: number): void {
    if (this.isOver) return;
    const { events, sent, checkAt } = nextEvents(this.#sent, state, now);
    [this.#sent, this.checkAt] = [sent, checkAt];
    for (const event of events) {
      if (this.#cuts.delete(this.heard.length)) return this.#connectAgain(state, now);
      this.heard.push({ ...event, at: now });
      if (event.id !== null) this.#lastEventId = String(event.id);
    }
    // The stream has closed; a client that notices reconnects.
    if (sent.ended) this.#connectAgain(state, now);
  }

  #connectAgain(state: JobState, now: number): void {
    this.isOver = hasReceivedEnd(state, this.#lastEventId);
    if (this.isOver) return;
    this.#sent = NOTHING_SENT;
    this.connections += 1;
    this.look(state, now);
  }
}

/** Runs these moments of a job with eight pictures. Returns the events that a client receives. */
function listen(moments: readonly Moment[], cuts: readonly number[]) {
  const client = new Client(cuts);
  let [state, now] = [batchOf(8), BEGIN];
  client.look(state, now);
  for (const { event, ms, looks } of moments) {
    state = step(state, event, now);
    if (looks) client.look(state, now);
    now += ms;
    if (client.checkAt !== null && client.checkAt <= now) client.look(state, now);
  }
  return { client, state, now };
}

const everyLife = (
  look: (heard: ReturnType<typeof listen>) => void,
  cuts: fc.Arbitrary<number[]> = fc.constant([]),
): void =>
  fc.assert(
    fc.property(fc.array(anyMoment, { maxLength: 120 }), cuts, (moments, at) => look(listen(moments, at))),
    { numRuns: 500 },
  );

describe("the events of a job, after anything in any order", () => {
  it("begin with its status and send each one that differs, in the end the last [A1-6]", () => {
    everyLife(({ client, state, now }) => {
      client.look(state, now);
      const [first] = client.heard;
      expect(first?.event).toBe("status");
      const statuses = client.heard.filter(({ event }) => event !== "progress").map(({ data }) => data);
      expect(statuses.at(-1)).toEqual(jobView(state));
      const texts = client.heard
        .filter(({ event }) => event === "status")
        .map(({ data }) => JSON.stringify(data));
      for (const [i, text] of texts.entries()) expect(text).not.toBe(texts[i - 1]);
    });
  });

  it("have exactly one `end`, the last event, if the job ends, even after a broken connection [A1-8]", () => {
    everyLife(({ client, state, now }) => {
      client.look(state, now);
      expect(client.heard.filter(({ event }) => event === "end")).toHaveLength(hasEnded(state.tasks) ? 1 : 0);
      const canceled = cancelTasks(state, now).state;
      client.look(canceled, now);
      expect(client.heard.filter(({ event }) => event === "end")).toHaveLength(1);
      expect(client.heard.at(-1)).toMatchObject({ event: "end", data: jobView(canceled) });
      expect(client.isOver).toBe(true);
    }, anyCuts);
  });

  it("have an id that never falls, the job's version; only `end` has the last [A1-9]", () => {
    everyLife(({ client, state }) => {
      const ids = client.heard.flatMap(({ id }) => id ?? []);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      const ofEnd = client.heard.find(({ event }) => event === "end")?.id;
      if (ofEnd === undefined) return;
      expect(ofEnd).toBe(state.version);
      expect(ids.filter((id) => id === ofEnd)).toHaveLength(1);
    }, anyCuts);
  });

  it("send progress at most four times in any second, and after the last report how far the job is [A1-7]", () => {
    const pauses = fc.oneof(fc.nat(60), fc.nat(600));
    fc.assert(
      fc.property(fc.array(pauses, { minLength: 1, maxLength: 99 }), (all) => {
        const client = new Client([]);
        let [state, now] = [claimTask(accepted(imageJob(["a"])), "a", policy, BEGIN).state, BEGIN];
        for (const [done, ms] of all.entries()) {
          state = extendTask(state, "a", 1, { done, total: 100 }, policy, now).state;
          client.look(state, now);
          const until = now + ms;
          for (; client.checkAt !== null && client.checkAt <= until; client.look(state, now))
            now = client.checkAt;
          now = until;
        }
        if (client.checkAt !== null) client.look(state, client.checkAt);
        const progress = client.heard.filter(({ event }) => event === "progress");
        for (const { at } of progress)
          expect(
            progress.filter((other) => other.at >= at && other.at < at + 1_000).length,
          ).toBeLessThanOrEqual(4);
        expect(progress.at(-1)?.data ?? { progress: 0 }).toEqual({ progress: jobProgress(state.tasks) });
        for (const [i, { data }] of progress.entries()) expect(data).not.toEqual(progress[i - 1]?.data);
      }),
    );
  });
});

describe("a stream of a job that has ended", () => {
  const ended = successfulJob();

  it("sends its status without an id, so that a client that receives nothing more still gets the end", () => {
    const { events } = nextEvents(NOTHING_SENT, ended, BEGIN);
    expect(events.map(({ event, id }) => [event, id])).toEqual([
      ["status", null],
      ["end", ended.version],
    ]);
  });

  it("is over only for a client that has its end", () => {
    expect(hasReceivedEnd(ended, String(ended.version))).toBe(true);
    for (const other of [null, "", "0", `${ended.version - 1}`, `${ended.version + 1}`, `0${ended.version}`])
      expect(hasReceivedEnd(ended, other)).toBe(false);
    const underWay = accepted(imageJob(["a"]));
    expect(hasReceivedEnd(underWay, String(underWay.version))).toBe(false);
  });

  it("sends its end alone if the status was sent before", () => {
    const [running, done] = [accepted(imageJob(["a"])), successfulJob()];
    const { sent } = nextEvents(NOTHING_SENT, running, BEGIN);
    expect(nextEvents(sent, done, BEGIN).events.map(({ event }) => event)).toEqual(["end"]);
  });

  it("sends nothing after its end", () => {
    const { sent } = nextEvents(NOTHING_SENT, ended, BEGIN);
    expect(nextEvents(sent, ended, BEGIN)).toMatchObject({ events: [], checkAt: null });
  });
});

it("the text of events is read back by a client", async () => {
  const held = claimTask(accepted(imageJob(["a"])), "a", policy, BEGIN).state;
  const half = extendTask(held, "a", 1, { done: 1, total: 2 }, policy, BEGIN).state;
  const events = [half, successfulJob()].flatMap((state) => nextEvents(NOTHING_SENT, state, BEGIN).events);
  const received = await new EventReader(new Response(`${COMMENT_TEXT}${textOf(events)}`).body).rest();
  expect(received).toEqual(
    events.map(({ event, id, data }) => ({ event, id: id === null ? null : String(id), data })),
  );
  expect(received.map(({ event }) => event)).toEqual(["status", "progress", "status", "end"]);
});

it("keeps an idle stream open by a comment, a line that begins with a colon", () => {
  expect(COMMENT_TEXT).toMatch(/^:[^\n]*\n\n$/);
});
