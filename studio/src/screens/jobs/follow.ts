import type { JobSummary } from "segmentation-client";
import type { DetailsOfJobs } from "./job-details.ts";
import type { JobList } from "./job-list.ts";
import { isUnderWay } from "./job-words.ts";

/** How many jobs are asked for themselves in a turn: with a turn every three seconds a fifth of the usual request rate. */
const MOST_FOLLOWED = 5;

/** One turn of looking at what is under way: the first page of the list, and each of the rows that are seen. */
export async function follow(
  list: JobList,
  details: DetailsOfJobs,
  seen: readonly JobSummary[],
  signal: AbortSignal,
): Promise<void> {
  await list.refresh(signal);
  const seenIds = new Set(seen.map(({ jobId }) => jobId));
  const underWay = list.jobs.peek()?.filter((job) => seenIds.has(job.jobId) && isUnderWay(job)) ?? [];
  for (const { jobId } of underWay.slice(0, MOST_FOLLOWED)) list.put(await details.follow(jobId, signal));
}
