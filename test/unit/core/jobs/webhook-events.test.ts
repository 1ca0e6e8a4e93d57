import { describe, expect, it } from "vitest";
import { WebhookEvent } from "../../../../src/contract/webhook.ts";
import { claimArchive, completeArchive, requestArchive } from "../../../../src/core/jobs/archive.ts";
import { eventOf, withEvents, withoutEvents } from "../../../../src/core/jobs/webhook-events.ts";
import { forgotten } from "../../../../src/core/jobs/forget.ts";
import { milestones } from "../../../../src/core/jobs/milestones.ts";
import { DEFAULT_POLICY as policy } from "../../../../src/core/jobs/policy.ts";
import { jobView } from "../../../../src/core/jobs/rollup.ts";
import type { NotedEvent, JobState } from "../../../../src/core/jobs/state.ts";
import { nextWake } from "../../../../src/core/jobs/wake.ts";
import { accepted, BEGIN, ended, failure, imageJob, SECOND, SUCCESS, successfulJob } from "./a-job.ts";
import { only } from "../../../support/at.ts";

/** A job after a change, as its object writes it. */
function written(before: JobState, after: JobState, now = BEGIN): JobState {
  let count = before.events?.length ?? 0;
  return withEvents(after, milestones(before, after, now), () => `evt_${(count += 1)}`, now);
}

const A = "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg";
const B = "4d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg";
const batch = accepted(imageJob([A, B]));
const withArchive = (outcome: "ready" | "failed"): JobState => {
  const requested = requestArchive(successfulJob(), policy, BEGIN).state;
  const claimed = claimArchive(requested, policy, BEGIN).state;
  const end =
    outcome === "ready"
      ? ({ outcome } as const)
      : ({ outcome, message: "It is full.", retryable: false } as const);
  return written(claimed, completeArchive(claimed, claimed.lastLease, end, policy, BEGIN).state);
};

describe("a job notes an event", () => {
  it("in the turn of its end, once: job.succeeded if a task succeeded, job.failed if none did [A3-15]", () => {
    const half = written(batch, ended(batch, A, SUCCESS));
    expect(half.events).toBeUndefined();
    const done = written(half, ended(half, B, failure(false)), BEGIN + SECOND);
    expect(done.events).toEqual([{ id: "evt_1", type: "job.succeeded", at: BEGIN + SECOND }]);
    expect(written(done, { ...done, projected: done.version })).toEqual({ ...done, projected: done.version });

    const one = accepted(imageJob(["a"]));
    expect(written(one, ended(one, "a", failure(false))).events).toMatchObject([{ type: "job.failed" }]);
  });

  it("of the end of its archive, with the archive as it is then", () => {
    expect(withArchive("ready").events).toEqual([
      {
        id: "evt_1",
        type: "archive.ready",
        at: BEGIN,
        archive: {
          jobId: "job_1",
          status: "ready",
          expiresAt: new Date(BEGIN + policy.archiveTtlMs).toISOString(),
          retryAfterSeconds: null,
          error: null,
        },
      },
    ]);
    expect(withArchive("failed").events).toMatchObject([
      { type: "archive.failed", archive: { status: "failed", error: "It is full." } },
    ]);
  });

  it("of none of the ends that come with being forgotten", () => {
    expect(written(batch, forgotten(batch, BEGIN))).toMatchObject({ phase: "expired" });
    expect(written(batch, forgotten(batch, BEGIN)).events).toBeUndefined();
  });

  it("beside those that are not told yet", () => {
    const event: NotedEvent = { id: "evt_0", type: "job.succeeded", at: BEGIN };
    const { events } = written(
      { ...withArchive("failed"), events: [event] },
      {
        ...withArchive("ready"),
        events: [event],
      },
    );
    expect(events).toEqual([event]);
  });
});

describe("an event", () => {
  it("tells what the API gives: the job's status, or the archive without its URL [A3-12]", () => {
    const job = written(batch, ended(ended(batch, A, SUCCESS), B, SUCCESS));
    const end = WebhookEvent.parse(eventOf(job, only(job.events ?? [])));
    expect(end).toEqual({
      type: "job.succeeded",
      timestamp: new Date(BEGIN).toISOString(),
      data: jobView(job),
    });

    const archived = withArchive("ready");
    const { data } = WebhookEvent.parse(eventOf(archived, only(archived.events ?? [])));
    expect(data).toEqual(only(archived.events ?? []).archive);
  });

  it("wakes its job until it is told: every five seconds", () => {
    const archived = { ...withArchive("ready"), projected: 99 };
    expect(nextWake(archived, policy, BEGIN + SECOND)).toBe(BEGIN + 6 * SECOND);
    const told = withoutEvents(archived, archived.events ?? []);
    expect(told).not.toHaveProperty("events");
    expect(nextWake(told, policy, BEGIN + SECOND)).toBe(BEGIN + policy.archiveTtlMs);
  });

  it("goes alone when it is told", () => {
    const [first, second]: NotedEvent[] = [
      { id: "evt_1", type: "job.succeeded", at: BEGIN },
      { id: "evt_2", type: "archive.ready", at: BEGIN },
    ];
    if (first === undefined || second === undefined) throw new Error("an event is lost");
    expect(withoutEvents({ ...batch, events: [first, second] }, [first]).events).toEqual([second]);
  });
});
