import { describe, expect, it } from "vitest";
import { nextWake } from "../../../src/jobs/rules/lifecycle.ts";
import { DEFAULT_POLICY } from "../../../src/jobs/rules/policy.ts";
import { policy } from "../../support/job-policy.ts";
import type { JobState, ArchiveRecord } from "../../../src/jobs/rules/state.ts";
import {
  BEGIN,
  HOUR,
  imageJob,
  SECOND,
  successfulJob,
  accepted,
  DAY,
  ended,
  failure,
} from "../../support/a-job.ts";
import { requestArchive, takeDueArchive } from "../../../src/jobs/rules/archive.ts";
import { claimTask, releaseTask, takeDueTasks } from "../../../src/jobs/rules/tasks.ts";

/** The state as the list has it. */
const projected = (state: JobState): JobState => ({ ...state, projected: state.version });

const one = (): JobState => projected(accepted(imageJob(["a"])));
const batch = (): JobState =>
  projected(accepted(imageJob(Array.from({ length: 20 }, (_, i) => `task-${i}`))));
const done = (): JobState => projected(successfulJob());

/** Returns the time from `now` until the alarm, in milliseconds. */
const wakesAfter = (state: JobState, now = BEGIN): number => nextWake(state, policy, null, now) - now;

describe("a job's alarm comes", () => {
  it("half a minute after the job was written down, to find out whether it was accepted", () => {
    expect(wakesAfter({ ...one(), phase: "prepared" })).toBe(30 * SECOND);
  });

  it("when a message is believed lost", () => {
    expect(wakesAfter(takeDueTasks(one(), policy, BEGIN).state)).toBe(30 * SECOND);
  });

  it("no sooner than after an hour for unclaimed messages: waiting in the queue costs no row", () => {
    const { state } = takeDueTasks(one(), DEFAULT_POLICY, BEGIN);
    expect(nextWake(state, DEFAULT_POLICY, null, BEGIN)).toBe(BEGIN + HOUR);
  });

  it("when a task's lease ends", () => {
    expect(wakesAfter(claimTask(one(), "a", policy, BEGIN).state)).toBe(60 * SECOND);
  });

  it("when a task may be tried again", () => {
    expect(wakesAfter(projected(ended(one(), "a", failure(true))))).toBe(2 * SECOND);
  });

  it("for the task with the earliest time", () => {
    const { state } = takeDueTasks(batch(), policy, BEGIN);
    const held = claimTask(state, "task-3", policy, BEGIN).state;
    expect(wakesAfter(releaseTask(held, "task-3", 1, 7 * SECOND, 0, BEGIN).state)).toBe(7 * SECOND);
  });

  it("when a task without a holder is given up", () => {
    const slow = { ...policy, resendMs: 600 * SECOND };
    const now = BEGIN + DAY - 5;
    const { state } = takeDueTasks(one(), slow, now);
    expect(nextWake(state, slow, null, now)).toBe(BEGIN + DAY);
  });

  it("not to give up a held task", () => {
    const now = BEGIN + DAY - 5;
    expect(wakesAfter(claimTask(one(), "a", policy, now).state, now)).toBe(60 * SECOND);
  });

  it("not for due tasks outside a full window: a freed place wakes them", () => {
    const { state } = takeDueTasks(batch(), policy, BEGIN);
    expect(wakesAfter(state, BEGIN)).toBe(30 * SECOND);
  });

  it("in a minute for tasks that are due and have room: they are being sent", () => {
    const { state } = takeDueTasks(batch(), { ...policy, window: 5, resendMs: 120 * SECOND }, BEGIN);
    expect(wakesAfter(state, BEGIN)).toBe(60 * SECOND);
  });

  it("last when the job is purged, at the end of its retention", () => {
    expect(wakesAfter(done())).toBe(30 * DAY);
  });

  it("in a minute if the list lacks a change: it is being sent", () => {
    expect(wakesAfter(successfulJob())).toBe(60 * SECOND);
  });

  it("for an archive that waits, is in the queue, or is ready until it expires", () => {
    const requested = requestArchive(done(), BEGIN).state;
    expect(wakesAfter(requested, BEGIN - 3)).toBe(3);
    expect(wakesAfter(takeDueArchive(requested, policy, BEGIN).state)).toBe(30 * SECOND);
    const ready: ArchiveRecord["step"] = { at: "ready", lease: 2, expiresAt: BEGIN + DAY };
    expect(wakesAfter({ ...done(), archive: { step: ready, attempts: 1, sends: 0, refusals: 0 } })).toBe(DAY);
  });

  it("not for an archive that failed", () => {
    const failed: ArchiveRecord["step"] = { at: "failed", message: "archive_failed: No." };
    const archive = { step: failed, attempts: 3, sends: 0, refusals: 0 };
    expect(wakesAfter({ ...done(), archive })).toBe(30 * DAY);
  });

  it.each(["prepared", "withdrawn", "expired"] as const)(
    "for no task and no archive while the job is %s",
    (phase) => {
      const state = requestArchive(takeDueTasks(one(), policy, BEGIN).state, BEGIN).state;
      const patient = { ...policy, prepareMs: 10 * DAY };
      const wake = nextWake({ ...state, phase, updatedAt: BEGIN + 20 * DAY }, patient, null, BEGIN);
      expect(wake - BEGIN).toBe(phase === "prepared" ? 10 * DAY : 20 * DAY);
    },
  );
});

describe("the alarm of a job that is being forgotten", () => {
  it.each(["withdrawn", "expired"] as const)(
    "comes each minute until it is purged once, and then for its last purge: %s",
    (phase) => {
      const late = BEGIN + 40 * DAY;
      const state: JobState = { ...done(), phase };
      expect(wakesAfter(state, late)).toBe(60 * SECOND);
      const purgedOnce = { ...state, purgeAgainAt: late + 7_000 };
      expect(wakesAfter(purgedOnce, late)).toBe(7_000);
      expect(wakesAfter(purgedOnce, late + 7_000)).toBe(60 * SECOND);
    },
  );
});

describe("a job's alarm", () => {
  it.each([
    ["was prepared and the list can't be asked", { phase: "prepared" as const }, 60_000],
    ["is withdrawn and can't be cleared up", { phase: "withdrawn" as const }, 60_000],
    ["has had its time and can't be cleared up", { phase: "expired" as const }, 31 * DAY],
    ["has a projection that can't be pushed", { version: 2, projected: 1 }, 60_000],
    ["is past its retention and can't be purged", {}, 31 * DAY],
    [
      "has an expired archive that can't be deleted",
      {
        archive: {
          step: { at: "ready" as const, lease: 1, expiresAt: BEGIN },
          attempts: 1,
          sends: 0,
          refusals: 0,
        },
      },
      60_000,
    ],
  ])("comes again in a minute, not at once, while the job %s", (_, changes, elapsed) => {
    const failed = one().tasks.map((each) => ({ ...each, step: { at: "failed" as const, lease: null } }));
    const now = BEGIN + elapsed;
    expect(nextWake({ ...one(), tasks: failed, ...changes }, policy, null, now) - now).toBe(60_000);
  });
});
