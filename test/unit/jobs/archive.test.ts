import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  abortedUpload,
  archiveUploads,
  beginArchiveUpload,
  claimArchive,
  completeArchive,
  extendArchive,
  keepArchive,
  MOST_ARCHIVES,
  requestArchive,
  takeDueArchive,
  tickArchive,
  type ArchiveOutcome,
} from "../../../src/jobs/rules/archive.ts";
import { policy } from "../../support/job-policy.ts";
import type { ArchiveRecord, JobState } from "../../../src/jobs/rules/state.ts";
import { nextWake } from "../../../src/jobs/rules/lifecycle.ts";
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
} from "../../support/a-job.ts";

const READY: ArchiveOutcome = { outcome: "ready" };
const CRASHED: ArchiveOutcome = { outcome: "failed", message: "not for the account", retryable: true };
const TOO_LARGE: ArchiveOutcome = {
  outcome: "failed",
  message: "archive_too_large: More than 4 GiB.",
  retryable: false,
};

const requested = (): JobState => requestArchive(successfulJob(), BEGIN).state;
const queued = (): JobState => takeDueArchive(requested(), policy, BEGIN).state;
const building = (state = queued(), now = BEGIN): JobState => claimArchive(state, policy, now).state;
const built = (outcome: ArchiveOutcome, state = building(), now = BEGIN): JobState =>
  completeArchive(state, state.lastLease, outcome, policy, now).state;

function archiveOf({ archive }: JobState): ArchiveRecord {
  if (archive === null) throw new Error("the archive is lost");
  return archive;
}

const STAGES: Record<string, () => JobState> = {
  requested,
  "in the queue": queued,
  "being built": () => building(),
  ready: () => built(READY),
  failed: () => built(TOO_LARGE),
};
const stages = (...names: readonly string[]) =>
  Object.entries(STAGES).filter(([name]) => names.includes(name));

describe.each(["prepared", "withdrawn", "expired"] as const)("a job that is %s", (phase) => {
  it("has no builder: nobody gets its archive, and who has it has lost it", () => {
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

describe("an archive is asked for", () => {
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
  /** Asks for one archive after the other, each of which ends so; how many of them were begun. */
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

  it("count only what was begun: who asks while there is one begins none", () => {
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

  it("is not due where nobody asked for an archive", () => {
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

  it("never where nobody asked for one", () => {
    const state = successfulJob();
    expect(claimArchive(state, policy, BEGIN)).toEqual({ state, taken: false });
  });
});

describe("the builder of an archive", () => {
  it("keeps its lease as long as it says that it is at work", () => {
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

  it("ends it with the reason that it gives, where no other try can succeed", () => {
    expect(archiveOf(built(TOO_LARGE)).step).toEqual({
      at: "failed",
      message: "archive_too_large: More than 4 GiB.",
    });
  });

  it("may fail three times, then the archive fails and says so", () => {
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

  it("says nothing where nobody asked for an archive", () => {
    const state = successfulJob();
    expect(completeArchive(state, state.lastLease, READY, policy, BEGIN)).toEqual({ state, taken: false });
  });
});

const UPLOAD = { lease: 2, uploadId: "upload_1" };
const kept = (files: number, state = building(), now = BEGIN): JobState =>
  keepArchive(state, state.lastLease, files, policy, now).state;
const uploading = (state = building()): JobState =>
  beginArchiveUpload(state, state.lastLease, UPLOAD.uploadId).state;
const UNFINISHED: ArchiveOutcome = { outcome: "unfinished" };

describe("an archive that one message cannot finish", () => {
  it("continues with the next message at once, and no attempt is burned", () => {
    const state = built(UNFINISHED, kept(10), BEGIN + SECOND);
    expect(archiveOf(state)).toEqual({
      step: { at: "waiting", notBefore: BEGIN + SECOND },
      attempts: 0,
      sends: 0,
      refusals: 0,
      requestedAt: BEGIN,
      messages: 1,
      kept: 10,
    });
    expect(takeDueArchive(state, policy, BEGIN + SECOND).due).toBe(true);
    expect(archiveOf(building(state, BEGIN + SECOND))).toMatchObject({ attempts: 1, messages: 2, kept: 10 });
  });

  it("is kept by its builder, whose lease is extended", () => {
    const { state, taken } = keepArchive(building(), 2, 10, policy, BEGIN + 50 * SECOND);
    expect(taken).toBe(true);
    expect(archiveOf(state)).toMatchObject({ step: { deadline: BEGIN + 110 * SECOND }, kept: 10 });
  });

  it("may lose any number of builders, as long as each of them gets further", () => {
    let state = building();
    for (let files = 1; files <= 20; files += 1) {
      state = tickArchive(kept(files, state), policy, BEGIN + 60 * SECOND);
      expect(archiveOf(state)).toMatchObject({ step: { at: "waiting" }, attempts: 1, kept: files });
      state = building(state);
    }
  });

  it("gains no attempt by a builder that keeps no more than there was", () => {
    const first = built(CRASHED, kept(10));
    const second = built(CRASHED, kept(10, building(first)));
    expect(archiveOf(second)).toMatchObject({ attempts: 2, kept: 10 });
    const third = kept(11, building(second));
    expect(archiveOf(third)).toMatchObject({ attempts: 1, kept: 11 });
  });

  it("is begun again, once, when three builders fail on what was kept", () => {
    const threeTimes = (state: JobState) =>
      built(CRASHED, building(built(CRASHED, building(built(CRASHED, state)))), BEGIN + SECOND);
    const anew = threeTimes(kept(10, uploading()));
    expect(archiveOf(anew)).toEqual({
      step: { at: "waiting", notBefore: BEGIN + SECOND },
      attempts: 0,
      sends: 0,
      refusals: 0,
      requestedAt: BEGIN,
      messages: 3,
      restarted: true,
    });
    expect(anew.abandonedUploads).toEqual([UPLOAD]);

    const failed = threeTimes(kept(5, building(anew)));
    expect(archiveOf(failed)).toMatchObject({ step: { at: "failed" }, messages: 6 });
    expect(archiveOf(failed)).not.toHaveProperty("kept");
    expect(archiveOf(requestArchive(failed, BEGIN).state)).not.toHaveProperty("restarted");
  });

  it("is begun again too when it is small and needs no upload, or when only its upload was begun", () => {
    const small = built(CRASHED, building(built(CRASHED, building(built(CRASHED, kept(10))))));
    expect(archiveOf(small)).toMatchObject({ step: { at: "waiting" }, restarted: true });
    expect(small.abandonedUploads).toBeUndefined();
    const anew = built(CRASHED, building(built(CRASHED, building(built(CRASHED, uploading())))));
    expect(archiveOf(anew)).toMatchObject({ step: { at: "waiting" }, restarted: true });
    expect(anew.abandonedUploads).toEqual([UPLOAD]);
  });

  it("continues by the upload that its first builder began, and is ready under that one's lease", () => {
    const second = building(built(UNFINISHED, kept(10, uploading())));
    expect(archiveOf(second).upload).toEqual(UPLOAD);
    const state = built({ outcome: "ready", upload: UPLOAD.lease }, second);
    expect(archiveOf(state)).toMatchObject({ step: { at: "ready", lease: UPLOAD.lease } });
    expect(archiveOf(state)).not.toHaveProperty("upload");
    expect(archiveOf(state)).not.toHaveProperty("kept");
    expect(archiveUploads(state)).toEqual([]);
  });

  it("has one upload: a second one is refused", () => {
    const state = uploading();
    expect(beginArchiveUpload(state, state.lastLease, "upload_2")).toEqual({ state, taken: false });
  });

  it("gives its upload up when it is ready without it", () => {
    const state = built(READY, building(built(UNFINISHED, kept(10, uploading()))));
    expect(archiveOf(state)).toMatchObject({ step: { at: "ready", lease: 3 } });
    expect(archiveOf(state)).not.toHaveProperty("upload");
    expect(state.abandonedUploads).toEqual([UPLOAD]);
  });

  it("gives its upload up when it fails for good, and with it what was kept", () => {
    const state = built(TOO_LARGE, kept(10, uploading()));
    expect(archiveOf(state)).toMatchObject({ step: { at: "failed" } });
    expect(archiveOf(state)).not.toHaveProperty("kept");
    expect(archiveUploads(state)).toEqual([UPLOAD]);
    expect(state.abandonedUploads).toEqual([UPLOAD]);
  });

  it("is done with an upload once that is aborted, and with no other", () => {
    const other = { lease: 9, uploadId: "upload_9" };
    const state = { ...building(), abandonedUploads: [UPLOAD, other] };
    expect(abortedUpload(state, UPLOAD.uploadId).abandonedUploads).toEqual([other]);
    expect(abortedUpload(state, "unknown")).toEqual(state);
    const left = abortedUpload(abortedUpload(state, UPLOAD.uploadId), other.uploadId);
    expect(left).toEqual(building());
    expect(abortedUpload(left, UPLOAD.uploadId)).toEqual(left);
  });

  it("lists all its uploads: the abandoned ones and the one in progress", () => {
    const state = { ...uploading(), abandonedUploads: [{ lease: 1, uploadId: "upload_0" }] };
    expect(archiveUploads(state)).toEqual([{ lease: 1, uploadId: "upload_0" }, UPLOAD]);
    expect(archiveUploads(successfulJob())).toEqual([]);
  });

  it.each(Object.entries(STAGES))("is kept by no builder whose lease is not in force: %s", (_, make) => {
    const state = make();
    const other = state.lastLease + 1;
    expect(keepArchive(state, other, 10, policy, BEGIN)).toEqual({ state, taken: false });
    expect(beginArchiveUpload(state, other, "upload_2")).toEqual({ state, taken: false });
    expect(completeArchive(state, other, UNFINISHED, policy, BEGIN)).toEqual({ state, taken: false });
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

  it("does nothing where there is no archive", () => {
    const state = successfulJob();
    expect(tickArchive(state, policy, BEGIN + DAY)).toBe(state);
  });
});

type Event =
  | { kind: "pass"; ms: number }
  | { kind: "ask" | "send" | "claim" }
  | { kind: "extend"; lease: number }
  | { kind: "keep"; lease: number; files: number }
  | { kind: "upload"; lease: number }
  | { kind: "complete"; lease: number; outcome: ArchiveOutcome };

const lease = fc.integer({ min: 1, max: 12 });
const anyEvent: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1, 2_000, 31_000, 61_000, DAY) }),
  fc.record({
    kind: fc.constantFrom("ask" as const, "send" as const, "claim" as const),
  }),
  fc.record({ kind: fc.constant("extend" as const), lease }),
  fc.record({ kind: fc.constant("keep" as const), lease, files: fc.nat(9) }),
  fc.record({ kind: fc.constant("upload" as const), lease }),
  fc.record({
    kind: fc.constant("complete" as const),
    lease,
    outcome: fc.constantFrom(READY, CRASHED, TOO_LARGE, UNFINISHED, { outcome: "ready", upload: 2 } as const),
  }),
);

function step(state: JobState, event: Event, now: number): JobState {
  switch (event.kind) {
    case "pass":
      return tickArchive(state, policy, now);
    case "ask":
      return requestArchive(state, now).state;
    case "send":
      return takeDueArchive(state, policy, now).state;
    case "claim":
      return claimArchive(state, policy, now).state;
    case "extend":
      return extendArchive(state, event.lease, policy, now).state;
    case "keep":
      return keepArchive(state, event.lease, event.files, policy, now).state;
    case "upload":
      return beginArchiveUpload(state, event.lease, `upload_${event.lease}`).state;
    case "complete":
      return completeArchive(state, event.lease, event.outcome, policy, now).state;
  }
}

describe("an archive, whatever happens in whatever order,", () => {
  const everyRun = (look: (before: JobState, after: JobState, event: Event, now: number) => void) =>
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
        let state = successfulJob();
        let now = BEGIN;
        for (const event of events) {
          if (event.kind === "pass") now += event.ms;
          const after = step(state, event, now);
          look(state, after, event, now);
          state = after;
        }
      }),
      { numRuns: 300 },
    );

  it("never changes its job's tasks, nor what the account's list shows of it", () => {
    everyRun((before, after) => {
      const { archive, lastLease, ...rest } = before;
      const uploads = { abandonedUploads: before.abandonedUploads, archivesBegun: before.archivesBegun };
      expect({ ...after, archive, lastLease, ...uploads }).toEqual({
        ...rest,
        archive,
        lastLease,
        ...uploads,
      });
      expect(after.lastLease).toBeGreaterThanOrEqual(lastLease);
      expect(after.archivesBegun ?? 0).toBeGreaterThanOrEqual(before.archivesBegun ?? 0);
    });
  });

  it("is tried no more often than allowed, and never under the same lease twice", () => {
    const claims = (state: JobState) => (state.archive?.step.at === "leased" ? state.archive.step.lease : 0);
    everyRun((before, after, event) => {
      expect(after.archive?.attempts ?? 0).toBeLessThanOrEqual(policy.maxAttempts);
      if (event.kind === "claim" && after !== before) expect(claims(after)).toBeGreaterThan(before.lastLease);
    });
  });

  it("loses sight of no upload: each is being written, became the archive, or is to be aborted", () => {
    everyRun((before, after, event) => {
      const ids = (state: JobState) => archiveUploads(state).map(({ uploadId }) => uploadId);
      const lost = ids(before).filter((id) => !ids(after).includes(id));
      const becameIt =
        event.kind === "complete" && event.outcome.outcome === "ready" && before.archive?.upload;
      for (const id of lost) expect(id).toBe(becameIt && becameIt.uploadId);
      expect(new Set(ids(after)).size).toBe(ids(after).length);
    });
  });

  it("always has an alarm before its next turn: a message, a deadline, its end", () => {
    everyRun((_, { archive, ...job }, _event, now) => {
      const wake = nextWake({ ...job, archive }, policy, null, now);
      const steps = archive?.step ?? { at: "none" };
      const times = Object.entries(steps).flatMap(([name, time]) =>
        ["notBefore", "resendAt", "deadline", "expiresAt"].includes(name) ? [Number(time)] : [],
      );
      for (const time of times) expect(wake).toBeLessThanOrEqual(Math.max(time, now + 60_000));
    });
  });
});
