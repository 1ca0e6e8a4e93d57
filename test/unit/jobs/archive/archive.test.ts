import { describe, expect, it } from "vitest";
import {
  beginArchiveUpload,
  claimArchive,
  completeArchive,
  extendArchive,
  keepArchive,
  MOST_ARCHIVES,
  requestArchive,
  takeDueArchive,
  tickArchive,
} from "../../../../src/jobs/rules/archive.ts";
import { policy } from "../../../support/job-policy.ts";
import type { JobState } from "../../../../src/jobs/rules/state.ts";
import {
  accepted,
  BEGIN,
  DAY,
  ended,
  failure,
  imageJob,
  SECOND,
  SUCCESS,
  successfulJob,
} from "../../../support/a-job.ts";
import {
  stages,
  READY,
  CRASHED,
  built,
  archiveOf,
  building,
  STAGES,
  TOO_LARGE,
  requested,
  queued,
} from "./archive-stages.ts";

describe.each(["prepared", "withdrawn", "expired"] as const)("a job that is %s", (phase) => {
  it("has no builder: no message gets its archive, and a builder loses it", () => {
    const inQueue: JobState = { ...queued(), phase };
    expect(claimArchive(inQueue, policy, BEGIN)).toEqual({ state: inQueue, taken: false });
    const state: JobState = { ...building(), phase };
    const lost = { state, taken: false };
    const { lastLease } = state;
    expect(extendArchive(state, lastLease, policy, BEGIN)).toEqual(lost);
    expect(beginArchiveUpload(state, lastLease, "upload")).toEqual(lost);
    expect(keepArchive(state, lastLease, 1, policy, BEGIN)).toEqual(lost);
    expect(completeArchive(state, lastLease, READY, policy, BEGIN)).toEqual(lost);
  });
});

describe("the request for an archive", () => {
  it("of a job that ended in success, and its message is due at once", () => {
    const { state, taken } = requestArchive(successfulJob(), BEGIN);
    expect(taken).toBe(true);
    expect(takeDueArchive(state, policy, BEGIN).due).toBe(true);
  });

  it.each([
    ["is under way", () => accepted(imageJob(["a", "b"]))],
    ["is half done", () => ended(accepted(imageJob(["a", "b"])), "a", SUCCESS)],
    ["failed", () => ended(accepted(imageJob(["a"])), "a", failure(false))],
  ])("to no effect of a job that %s", (_, make) => {
    const state = make();
    expect(requestArchive(state, BEGIN)).toEqual({ state, taken: false });
  });

  it.each(stages("requested", "in the queue", "being built", "ready"))(
    "again to no effect while it is %s: it is the same one",
    (_, make) => {
      const state = make();
      expect(requestArchive(state, BEGIN + 1)).toEqual({ state, taken: true });
    },
  );

  it("again after it failed: it is started again, with all its attempts", () => {
    const failed = built(TOO_LARGE);
    const again = requestArchive(failed, BEGIN + SECOND).state;
    expect(archiveOf(again)).toEqual({
      step: { at: "waiting", notBefore: BEGIN + SECOND },
      attempts: 0,
      sends: 0,
      refusals: 0,
      requestedAt: BEGIN + SECOND,
    });
    expect(again.lastLease).toBe(failed.lastLease);
  });
});

describe("the archives of a job", () => {
  /** Requests one archive after the other, each with this end. Returns the number begun. */
  const begunOf = (count: number, end: (state: JobState, now: number) => JobState): number => {
    let state = successfulJob();
    let begun = 0;
    for (let i = 0; i < count; i += 1) {
      const now = BEGIN + i * SECOND;
      const asked = requestArchive(state, now);
      expect(asked.taken).toBe(true);
      state = asked.state;
      if (archiveOf(state).step.at === "failed") continue;
      begun += 1;
      state = end(building(takeDueArchive(state, policy, now).state, now), now);
    }
    return begun;
  };

  it("are so many at most, whether they fail or expire: each reads all outputs again", () => {
    expect(begunOf(3 * MOST_ARCHIVES, (state, now) => built(TOO_LARGE, state, now))).toBe(MOST_ARCHIVES);
    const expire = (state: JobState, now: number) =>
      tickArchive(built(READY, state, now), policy, now + policy.archiveTtlMs);
    expect(begunOf(3 * MOST_ARCHIVES, expire)).toBe(MOST_ARCHIVES);
  });

  it("count only archives that began: a request during one begins none", () => {
    const { archivesBegun } = requestArchive(requestArchive(successfulJob(), BEGIN).state, BEGIN).state;
    expect(archivesBegun).toBe(1);
  });
});

describe("an archive's message", () => {
  it("is sent once, and again only when it is believed lost", () => {
    const { state, due } = takeDueArchive(requested(), policy, BEGIN);
    expect(due).toBe(true);
    const early = takeDueArchive(state, policy, BEGIN + policy.resendMs - 1);
    expect(early).toEqual({ state, due: false });
    expect(takeDueArchive(state, policy, BEGIN + policy.resendMs).due).toBe(true);
  });

  it.each(stages("being built", "ready", "failed"))("is not due while it is %s", (_, make) => {
    expect(takeDueArchive(make(), policy, BEGIN + DAY).due).toBe(false);
  });

  it("is not due without a requested archive", () => {
    const state = successfulJob();
    expect(takeDueArchive(state, policy, BEGIN + DAY)).toEqual({ state, due: false });
  });
});

describe("a builder takes an archive", () => {
  it.each(stages("requested", "in the queue"))(
    "that is %s, with the job's next fencing token and a lease of a minute",
    (_, make) => {
      const before = make();
      const { state, taken } = claimArchive(before, policy, BEGIN);
      expect(taken).toBe(true);
      expect(state.lastLease).toBe(before.lastLease + 1);
      expect(archiveOf(state).step).toEqual({
        at: "leased",
        lease: before.lastLease + 1,
        deadline: BEGIN + 60 * SECOND,
      });
    },
  );

  it.each(stages("being built", "ready", "failed"))("never when it is %s", (_, make) => {
    const state = make();
    expect(claimArchive(state, policy, BEGIN)).toEqual({ state, taken: false });
  });

  it("never without a requested archive", () => {
    const state = successfulJob();
    expect(claimArchive(state, policy, BEGIN)).toEqual({ state, taken: false });
  });
});

describe("the builder of an archive", () => {
  it("keeps its lease as long as it reports work", () => {
    const state = building();
    const extended = extendArchive(state, state.lastLease, policy, BEGIN + 50 * SECOND);
    expect(extended.taken).toBe(true);
    expect(archiveOf(extended.state).step).toMatchObject({ at: "leased", deadline: BEGIN + 110 * SECOND });
  });

  it("makes it ready, to be fetched for a day under its own lease", () => {
    const state = building();
    const done = completeArchive(state, state.lastLease, READY, policy, BEGIN + SECOND);
    expect(done.taken).toBe(true);
    expect(archiveOf(done.state).step).toEqual({
      at: "ready",
      lease: state.lastLease,
      expiresAt: BEGIN + SECOND + DAY,
    });
  });

  it("ends it with the reason that it gives, if no other try can succeed", () => {
    expect(archiveOf(built(TOO_LARGE)).step).toEqual({
      at: "failed",
      message: "archive_too_large: More than 4 GiB.",
    });
  });

  it("may fail three times, then fails with a reason", () => {
    const once = built(CRASHED);
    expect(archiveOf(once)).toMatchObject({
      step: { at: "waiting", notBefore: BEGIN + 2 * SECOND },
      attempts: 1,
    });
    const twice = built(CRASHED, building(once));
    expect(archiveOf(twice)).toMatchObject({
      step: { at: "waiting", notBefore: BEGIN + 4 * SECOND },
      attempts: 2,
    });
    expect(archiveOf(built(CRASHED, building(twice))).step).toEqual({
      at: "failed",
      message: expect.stringMatching(/^archive_failed: .+\.$/),
    });
  });

  it.each(Object.entries(STAGES))("says nothing by a lease that is not in force: %s", (_, make) => {
    const state = make();
    const other = state.lastLease + 1;
    expect(extendArchive(state, other, policy, BEGIN)).toEqual({ state, taken: false });
    expect(completeArchive(state, other, READY, policy, BEGIN)).toEqual({ state, taken: false });
  });

  it("says nothing more once it has reported the end", () => {
    const state = built(READY);
    expect(completeArchive(state, state.lastLease, TOO_LARGE, policy, BEGIN)).toEqual({
      state,
      taken: false,
    });
    expect(extendArchive(state, state.lastLease, policy, BEGIN)).toEqual({ state, taken: false });
  });

  it("says nothing without a requested archive", () => {
    const state = successfulJob();
    expect(completeArchive(state, state.lastLease, READY, policy, BEGIN)).toEqual({ state, taken: false });
  });
});

describe("time", () => {
  it("takes an archive from a builder that is silent for a minute: a failed attempt", () => {
    const state = building();
    expect(tickArchive(state, policy, BEGIN + 60 * SECOND - 1)).toBe(state);
    const late = tickArchive(state, policy, BEGIN + 60 * SECOND);
    expect(archiveOf(late)).toMatchObject({
      step: { at: "waiting", notBefore: BEGIN + 62 * SECOND },
      attempts: 1,
    });
  });

  it("fails an archive whose third builder is silent", () => {
    const third = building(built(CRASHED, building(built(CRASHED))));
    expect(archiveOf(tickArchive(third, policy, BEGIN + 60 * SECOND)).step).toMatchObject({
      at: "failed",
      message: expect.stringMatching(/^archive_failed: /),
    });
  });

  it("forgets an archive a day after it became ready, and no sooner", () => {
    const state = built(READY);
    expect(tickArchive(state, policy, BEGIN + DAY - 1)).toBe(state);
    expect(tickArchive(state, policy, BEGIN + DAY)).toEqual({ ...state, archive: null });
  });

  it.each(stages("requested", "in the queue", "failed"))("does nothing to one that is %s", (_, make) => {
    const state = make();
    expect(tickArchive(state, policy, BEGIN + DAY)).toBe(state);
  });

  it("does nothing if there is no archive", () => {
    const state = successfulJob();
    expect(tickArchive(state, policy, BEGIN + DAY)).toBe(state);
  });
});
