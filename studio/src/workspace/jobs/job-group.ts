import { type JobStatus, mapParallel, SegmentationError } from "segmentation-client";
import type { Inputs } from "../service/shared-inputs.ts";
import type { Owner } from "../service/owner.ts";
import { onceOnline } from "../service/once-online.ts";
import type { Workspace } from "../workspace.ts";

/** Number of parallel requests for jobs. */
const PARALLEL = 4;

/** Job group: a job, and all that add to it. */
interface JobGroup {
  /** The job to which the others add; if that was deleted, the one by which the group was opened. */
  readonly firstJob: string;
  /** The oldest first. */
  readonly jobs: readonly JobStatus[];
}

/** Asks for a job and for all that belong to it. @throws SegmentationError `job_not_found` if there is none by that id */
export async function jobGroupOf(owner: Owner, jobId: string): Promise<JobGroup> {
  const named = await jobOf(owner, jobId);
  const firstJob = named.continues ?? jobId;
  const first = firstJob === jobId ? named : await jobOf(owner, firstJob).catch(unlessMissing);
  const added = await addedTo(owner, firstJob, [jobId]);
  const jobs = [...new Set([first, named, ...added])].filter((job) => job !== null);
  return {
    firstJob: first === null ? jobId : firstJob,
    jobs: jobs.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)),
  };
}

/** Asks for the jobs that add to one, the oldest first, without those that have failed or are known. @throws SegmentationError */
export async function addedTo(
  owner: Owner,
  firstJob: string,
  known: readonly string[],
): Promise<readonly JobStatus[]> {
  const { api, signal } = owner;
  const added = await onceOnline(async () => {
    const all: string[] = [];
    for await (const { jobId, status } of api.listJobs({ continues: firstJob, limit: 100 }, { signal }))
      if (status !== "failed" && !known.includes(jobId)) all.unshift(jobId);
    return all;
  });
  return await jobsOf(owner, added);
}

/** Asks for the jobs that a link shows. @throws SegmentationError */
export async function sharedJobGroup(owner: Owner, { jobId, further }: Inputs["share"]): Promise<JobGroup> {
  const jobs = await jobsOf(owner, [jobId, ...further]);
  return { firstJob: jobId, jobs: jobs.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt)) };
}

const jobsOf = (owner: Owner, jobIds: readonly string[]): Promise<JobStatus[]> =>
  mapParallel(jobIds, PARALLEL, owner.signal, (jobId) => jobOf(owner, jobId));

/** @throws SegmentationError */
export const jobOf = ({ api, signal }: Owner, jobId: string): Promise<JobStatus> =>
  onceOnline(async () => await api.retrieveJob({ jobId, include: "request" }, { signal }));

function unlessMissing(error: unknown): null {
  if (error instanceof SegmentationError && error.status === 404) return null;
  throw error;
}

/** Tells whether a job is a search; otherwise its masks are of objects that were pointed at. */
export const isSearch = ({ type, prompts = [], totalItems }: JobStatus): boolean =>
  type === "video" || prompts.length > 0 || totalItems > 1;

/** Deletes the job of an undone object, which no client then shows, unless other jobs add to it. */
export function discard(workspace: Workspace, jobId: string): void {
  const { firstJob, pointed, searches } = workspace;
  const left = pointed.value.flatMap(({ attempts }) => attempts);
  if (left.some((attempt) => attempt.jobId === jobId)) return;
  if (firstJob.value === jobId) {
    if (searches.value.length > 0 || left.some(({ continues = null }) => continues !== null)) return;
    firstJob.value = left.find((attempt) => attempt.jobId !== null)?.jobId ?? null;
  }
  void workspace.owner.api.deleteJob({ jobId }).catch(() => {});
}

/**
 * The job of a workspace to which a further one of these uploads adds: that of its searches, which have all of its pictures, or the first
 * one of an object that was pointed at in the same picture; null if there is none.
 */
export function continuedBy(workspace: Workspace, tasks: readonly string[]): string | null {
  if (workspace.searches.value.length > 0) return workspace.firstJob.value;
  const picture = workspace.pictureOf(tasks[0] ?? "");
  if (picture === undefined || tasks.length > 1) return null;
  const there = workspace.pointed.value.filter((object) => object.picture === picture.key);
  return there.flatMap(({ attempts }) => attempts.flatMap(({ jobId }) => jobId ?? []))[0] ?? null;
}
