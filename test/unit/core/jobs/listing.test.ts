import { describe, expect, it } from "vitest";
import { decided, isEndConfirmed, pushDueAt, pushed } from "../../../../src/core/jobs/listing.ts";
import { DEFAULT_POLICY as policy } from "../../../../src/core/jobs/policy.ts";
import { newJob, type JobState } from "../../../../src/core/jobs/state.ts";
import { nextWake } from "../../../../src/core/jobs/wake.ts";
import { BEGIN, HOUR, imageJob, SECOND, successfulJob } from "./a-job.ts";

const ended = (changes: Partial<JobState> = {}): JobState => ({ ...successfulJob(), ...changes });

describe("a projection is due", () => {
  it("as soon as the job has changed, until the list has it", () => {
    const job = ended();
    expect(job.version).toBe(2);
    expect(pushDueAt({ ...job, projected: 1 })).toBe(job.updatedAt);
    expect(pushDueAt({ ...job, projected: 2 })).toBeNull();
  });

  it("again some hours after the list turned out to have lost the job, and not before", () => {
    const job = pushed(ended(), 2, "missing", BEGIN + SECOND);
    expect(pushDueAt(job)).toBe(BEGIN + SECOND + 4 * HOUR);
    expect(nextWake(job, policy, BEGIN + 2 * SECOND)).toBe(BEGIN + SECOND + 4 * HOUR);
  });
});

describe("after a push", () => {
  it("that the list took, it has this version, and nothing is missing", () => {
    const job = ended({ version: 3, unlistedAt: BEGIN });
    expect(pushed(job, 2, "listed", BEGIN)).toEqual({ ...job, projected: 2, unlistedAt: null });
  });

  it("a job that was withdrawn on purpose goes", () => {
    expect(pushed(ended(), 2, "withdrawn", BEGIN)).toEqual({ ...ended(), phase: "withdrawn" });
  });

  it("an accepted job that the list has lost stays as it is: only the time is kept", () => {
    expect(pushed(ended(), 2, "missing", BEGIN + 5)).toEqual({ ...ended(), unlistedAt: BEGIN + 5 });
    expect(pushed(ended(), 2, "settled", BEGIN + 5)).toEqual({ ...ended(), unlistedAt: BEGIN + 5 });
  });

  it.each(["settled", "missing"] as const)("a job that is being forgotten misses no row: %s", (standing) => {
    const job = ended({ phase: "expired" });
    expect(pushed(job, 2, standing, BEGIN + 5)).toBe(job);
  });
});

describe("a job that never heard of its acceptance", () => {
  const inDoubt = newJob(imageJob(["a"]));

  it("runs if it is listed", () => {
    expect(decided(inDoubt, "listed")).toEqual({ ...inDoubt, phase: "running" });
  });

  it.each(["withdrawn", "settled", "missing"] as const)(
    "is withdrawn if it is %s: nobody was told of it",
    (standing) => {
      expect(decided(inDoubt, standing)).toEqual({ ...inDoubt, phase: "withdrawn" });
    },
  );
});

describe("whether the list has confirmed a job's end", () => {
  it("is true of the last version of an ended job alone: what it confirmed of a job under way was no settlement", () => {
    const job = ended();
    expect(isEndConfirmed({ ...job, projected: 2 })).toBe(true);
    expect(isEndConfirmed({ ...job, projected: 1 })).toBe(false);
    const running = newJob(imageJob(["a.png"]));
    expect(isEndConfirmed({ ...running, projected: running.version })).toBe(false);
  });
});
