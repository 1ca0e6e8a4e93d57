import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  archiveUploads,
  beginArchiveUpload,
  claimArchive,
  completeArchive,
  extendArchive,
  keepArchive,
  requestArchive,
  takeDueArchive,
  tickArchive,
  type ArchiveOutcome,
} from "../../../../src/jobs/rules/archive.ts";
import { policy } from "../../../support/job-policy.ts";
import type { JobState } from "../../../../src/jobs/rules/state.ts";
import { nextWake } from "../../../../src/jobs/rules/lifecycle.ts";
import { BEGIN, DAY, successfulJob } from "../../../support/a-job.ts";
import { TOO_LARGE, CRASHED, READY } from "./archive-stages.ts";

const UNFINISHED: ArchiveOutcome = { outcome: "unfinished" };

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

describe("an archive, after any events in any order,", () => {
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

  it("never changes its job's tasks or its entry in the account's list", () => {
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

  it("tracks every upload: each is being written, became the archive, or is due to be aborted", () => {
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
