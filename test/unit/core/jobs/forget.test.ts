import { describe, expect, it } from "vitest";
import {
  archiveUploads,
  beginArchiveUpload,
  claimArchive,
  keepArchive,
  requestArchive,
} from "../../../../src/core/jobs/archive.ts";
import { forgotten, hasLateWriters } from "../../../../src/core/jobs/forget.ts";
import { DEFAULT_POLICY as policy, lateWritesMs } from "../../../../src/core/jobs/policy.ts";
import { jobStatus } from "../../../../src/core/jobs/rollup.ts";
import { newJob, type JobState } from "../../../../src/core/jobs/state.ts";
import { claimTask } from "../../../../src/core/jobs/tasks.ts";
import {
  accepted,
  BEGIN,
  DAY,
  ended,
  HOUR,
  imageJob,
  SECOND,
  SUCCESS,
  successfulJob,
  taskOf,
} from "./a-job.ts";

const NOW = BEGIN + 5 * SECOND;
const batch = (): JobState => accepted(imageJob(["a", "b", "c"]));
const halfDone = (): JobState => claimTask(ended(batch(), "a", SUCCESS), "b", policy, BEGIN).state;

/** A job whose archive is being built: its upload is begun, and something is kept of it. */
function building(): JobState {
  const { state } = claimArchive(requestArchive(successfulJob(), policy, BEGIN).state, policy, BEGIN);
  const begun = beginArchiveUpload(state, state.lastLease, "upload").state;
  return keepArchive(begun, state.lastLease, 1, policy, BEGIN).state;
}

describe("a job that is to be forgotten", () => {
  it("has expired, with what is under way cancelled and what has ended as it was", () => {
    const before = halfDone();
    const state = forgotten(before, NOW);
    expect(state).toMatchObject({ phase: "expired", updatedAt: NOW, version: before.version + 1 });
    expect(taskOf(state, "a")).toBe(taskOf(before, "a"));
    for (const taskId of ["b", "c"]) expect(taskOf(state, taskId).problem?.code).toBe("canceled");
    expect(jobStatus(state.tasks)).toBe("success");
  });

  it("has no archive that anybody goes on with: its upload is to be aborted, and nothing is kept", () => {
    const state = forgotten(building(), NOW);
    expect(archiveUploads(state)).toEqual([{ lease: 2, uploadId: "upload" }]);
    expect(state.archive?.kept).toBeUndefined();
  });

  it("is withdrawn if it was never accepted", () => {
    const prepared = newJob(imageJob(["a"]));
    expect(forgotten(prepared, NOW)).toEqual({ ...prepared, phase: "withdrawn" });
  });

  it.each(["withdrawn", "expired"] as const)("stays as it is if it is %s already", (phase) => {
    const state = { ...halfDone(), phase };
    expect(forgotten(state, NOW)).toBe(state);
  });
});

describe("late writers of a job", () => {
  const late = lateWritesMs(policy);
  const has = (state: JobState, now = NOW) => hasLateWriters(forgotten(state, NOW), policy, now);

  it("may be there for as long as an output's URL is good, and for as long again", () => {
    expect(late).toBe(2 * HOUR);
    expect(has(halfDone(), NOW + late - 1)).toBe(true);
    expect(has(halfDone(), NOW + late)).toBe(false);
  });

  it("are counted from its own end where it ended before", () => {
    expect(has(successfulJob(), BEGIN + late - 1)).toBe(true);
    expect(has(successfulJob(), BEGIN + late)).toBe(false);
  });

  it("are none of a job of which nobody ever held anything", () => {
    expect(has(batch())).toBe(false);
  });

  it("may be there for as long as it has an archive, or an upload of one that is not aborted", () => {
    const month = BEGIN + 30 * DAY;
    expect(has(building(), month)).toBe(true);
    const { archive: _, ...rest } = forgotten(building(), NOW);
    expect(hasLateWriters({ ...rest, archive: null }, policy, month)).toBe(true);
    const gone = { ...rest, archive: null, abandonedUploads: [] };
    expect(hasLateWriters(gone, policy, month)).toBe(false);
  });

  it("may be there of a job that was withdrawn while a task was held", () => {
    expect(hasLateWriters({ ...halfDone(), phase: "withdrawn" }, policy, BEGIN + 30 * DAY)).toBe(true);
  });
});
