import { describe, expect, it } from "vitest";
import {
  decided,
  isEndConfirmed,
  pushDueAt,
  pushed,
  allSent,
  nextWake,
  sendFailed,
  forgotten,
  hasLateWriters,
} from "../../../src/jobs/rules/lifecycle.ts";
import { lateWritesMs } from "../../../src/jobs/rules/policy.ts";
import { policy } from "../../support/job-policy.ts";
import { newJob, type JobState } from "../../../src/jobs/rules/state.ts";
import {
  BEGIN,
  HOUR,
  imageJob,
  SECOND,
  successfulJob,
  accepted,
  DAY,
  ended,
  SUCCESS,
  taskOf,
} from "../../support/a-job.ts";
import {
  requestArchive,
  archiveUploads,
  beginArchiveUpload,
  claimArchive,
  keepArchive,
} from "../../../src/jobs/rules/archive.ts";
import { claimTask, startTask } from "../../../src/jobs/rules/tasks.ts";
import { jobStatus } from "../../../src/jobs/rules/rollup.ts";

const endedJob = (changes: Partial<JobState> = {}): JobState => ({ ...successfulJob(), ...changes });

describe("a projection is due", () => {
  it("as soon as the job has ended, until the list has it", () => {
    const job = endedJob();
    expect(job.version).toBe(2);
    expect(pushDueAt({ ...job, projected: 1 })).toBe(job.updatedAt);
    expect(pushDueAt({ ...job, projected: 2 })).toBeNull();
  });

  it("some seconds after the job has begun, so that a picture that ends before is pushed once", () => {
    const { state: held } = claimTask(accepted(imageJob(["a"])), "a", policy, BEGIN);
    const { state: begun } = startTask(held, "a", held.lastLease, BEGIN + SECOND);
    expect(pushDueAt(begun)).toBe(BEGIN + 6 * SECOND);
    const half = ended(accepted(imageJob(["a", "b"])), "a", SUCCESS, BEGIN + SECOND);
    expect(pushDueAt(half)).toBe(BEGIN + 6 * SECOND);
    expect(nextWake(begun, policy, null, BEGIN + SECOND)).toBe(BEGIN + 6 * SECOND);
  });

  it("again some hours after the list was found to have lost the job, and not before", () => {
    const job = pushed(endedJob(), 2, "missing", BEGIN + SECOND);
    expect(pushDueAt(job)).toBe(BEGIN + SECOND + 4 * HOUR);
    expect(nextWake(job, policy, null, BEGIN + 2 * SECOND)).toBe(BEGIN + SECOND + 4 * HOUR);
  });
});

describe("after a push", () => {
  it("that the list took, it has this version, and nothing is missing", () => {
    const job = endedJob({ version: 3, unlistedAt: BEGIN });
    expect(pushed(job, 2, "listed", BEGIN)).toEqual({ ...job, projected: 2, unlistedAt: null });
  });

  it("a job that was withdrawn on purpose goes", () => {
    expect(pushed(endedJob(), 2, "withdrawn", BEGIN)).toEqual({ ...endedJob(), phase: "withdrawn" });
  });

  it("an accepted job that the list has lost does not change: only the time is kept", () => {
    expect(pushed(endedJob(), 2, "missing", BEGIN + 5)).toEqual({ ...endedJob(), unlistedAt: BEGIN + 5 });
    expect(pushed(endedJob(), 2, "settled", BEGIN + 5)).toEqual({ ...endedJob(), unlistedAt: BEGIN + 5 });
  });

  it.each(["settled", "missing"] as const)(
    "a job that is being forgotten misses no row: %s",
    (acceptance) => {
      const job = endedJob({ phase: "expired" });
      expect(pushed(job, 2, acceptance, BEGIN + 5)).toBe(job);
    },
  );
});

describe("a job that never heard of its acceptance", () => {
  const inDoubt = newJob(imageJob(["a"]));

  it("runs if it is listed", () => {
    expect(decided(inDoubt, "listed")).toEqual({ ...inDoubt, phase: "running" });
  });

  it.each(["withdrawn", "settled", "missing"] as const)(
    "is withdrawn if it is %s: no client knows it",
    (acceptance) => {
      expect(decided(inDoubt, acceptance)).toEqual({ ...inDoubt, phase: "withdrawn" });
    },
  );
});

describe("the list's confirmation of a job's end", () => {
  it("applies only to an ended job's last version: an earlier confirmation settled nothing", () => {
    const job = endedJob();
    expect(isEndConfirmed({ ...job, projected: 2 })).toBe(true);
    expect(isEndConfirmed({ ...job, projected: 1 })).toBe(false);
    const underWay = [newJob(imageJob(["a"])), ended(accepted(imageJob(["a", "b"])), "a", SUCCESS)];
    for (const each of underWay) expect(isEndConfirmed({ ...each, projected: each.version })).toBe(false);
  });
});

/** Returns the time from `now` until the alarm, in milliseconds. */
const wakesAfter = (state: JobState, now = BEGIN): number => nextWake(state, policy, null, now) - now;

describe("a failed send", () => {
  const unlisted = (): JobState => successfulJob();

  it("is sent again after 5 seconds, then twice that with each try, 10 minutes at most; up to half as long again, by chance", () => {
    let [state, now] = [unlisted(), BEGIN];
    const delays: number[] = [];
    for (let tries = 0; tries < 9; tries += 1) {
      state = sendFailed(state, 0, now);
      delays.push(wakesAfter(state, now) / SECOND);
      now = nextWake(state, policy, null, now);
    }
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600]);
    expect(wakesAfter(sendFailed(unlisted(), 0.999, BEGIN))).toBeCloseTo(7_500, -1);
  });

  it("counts once until its next try, with any number of other failures", () => {
    const once = sendFailed(unlisted(), 0, BEGIN);
    expect(sendFailed(once, 0.5, BEGIN + 4_999)).toBe(once);
    expect(sendFailed(once, 0, BEGIN + 5_000).retry?.tries).toBe(2);
  });

  it("is forgotten once all is sent, its events too", () => {
    const failed = sendFailed(unlisted(), 0, BEGIN);
    expect(allSent({ ...failed, events: [{ id: "evt_1", type: "job.succeeded", at: BEGIN }] }).retry).toEqual(
      failed.retry,
    );
    expect(allSent(failed)).not.toHaveProperty("retry");
    const state = unlisted();
    expect(allSent(state)).toBe(state);
  });
});

const NOW = BEGIN + 5 * SECOND;
const threeTasks = (): JobState => accepted(imageJob(["a", "b", "c"]));
const halfDone = (): JobState => claimTask(ended(threeTasks(), "a", SUCCESS), "b", policy, BEGIN).state;

/** A job whose archive is being built: its upload is begun, and its progress is saved. */
function building(): JobState {
  const { state } = claimArchive(requestArchive(successfulJob(), BEGIN).state, policy, BEGIN);
  const begun = beginArchiveUpload(state, state.lastLease, "upload").state;
  return keepArchive(begun, state.lastLease, 1, policy, BEGIN).state;
}

describe("a job that is due to be forgotten", () => {
  it("has expired, with unfinished tasks canceled and finished ones unchanged", () => {
    const before = halfDone();
    const state = forgotten(before, NOW);
    expect(state).toMatchObject({ phase: "expired", updatedAt: NOW, version: before.version + 1 });
    expect(taskOf(state, "a")).toBe(taskOf(before, "a"));
    for (const taskId of ["b", "c"]) expect(taskOf(state, taskId).problem?.code).toBe("canceled");
    expect(jobStatus(state.tasks)).toBe("success");
  });

  it("has no archive in progress: its upload is due to be aborted, and nothing is kept", () => {
    const state = forgotten(building(), NOW);
    expect(archiveUploads(state)).toEqual([{ lease: 2, uploadId: "upload" }]);
    expect(state.archive?.kept).toBeUndefined();
  });

  it("is withdrawn if it was never accepted", () => {
    const prepared = newJob(imageJob(["a"]));
    expect(forgotten(prepared, NOW)).toEqual({ ...prepared, phase: "withdrawn" });
  });

  it.each(["withdrawn", "expired"] as const)("does not change if it is %s already", (phase) => {
    const state = { ...halfDone(), phase };
    expect(forgotten(state, NOW)).toBe(state);
  });
});

describe("late writers of a job", () => {
  const late = lateWritesMs(policy);
  const has = (state: JobState, now = NOW) => hasLateWriters(forgotten(state, NOW), policy, now);

  it("may have files while an output's URL is valid, and for as long again", () => {
    expect(late).toBe(2 * HOUR);
    expect(has(halfDone(), NOW + late - 1)).toBe(true);
    expect(has(halfDone(), NOW + late)).toBe(false);
  });

  it("are counted from its end if it ended before", () => {
    expect(has(successfulJob(), BEGIN + late - 1)).toBe(true);
    expect(has(successfulJob(), BEGIN + late)).toBe(false);
  });

  it("are empty for a job without any holder so far", () => {
    expect(has(threeTasks())).toBe(false);
  });

  it("may have files while it has an archive, or an unfinished upload of one", () => {
    const month = BEGIN + 30 * DAY;
    expect(has(building(), month)).toBe(true);
    expect(has(claimArchive(requestArchive(successfulJob(), BEGIN).state, policy, BEGIN).state, month)).toBe(
      true,
    );
    const { archive: _, ...rest } = forgotten(building(), NOW);
    expect(hasLateWriters({ ...rest, archive: null }, policy, month)).toBe(true);
    const gone = { ...rest, archive: null, abandonedUploads: [] };
    expect(hasLateWriters(gone, policy, month)).toBe(false);
  });

  it("may be there of a job that was withdrawn while a task was held", () => {
    expect(hasLateWriters({ ...halfDone(), phase: "withdrawn" }, policy, BEGIN + 30 * DAY)).toBe(true);
  });
});
