import type { JobStatus } from "segmentation-client";
import { timeLeft } from "../../../text/format.ts";

/** Returns the job of the search in progress; null before its first answer, when the job of the search before is still there. */
export const runningJob = (job: JobStatus | null, searchId: string | null): JobStatus | null =>
  job?.jobId === searchId ? job : null;

/** Describes a job in progress. @param share of its work that is done, 0 to 1 @param now in milliseconds since 1970 */
export function segmentingWords(job: JobStatus | null, share: number, now: number): string {
  if (job === null) return "Starting";
  if (job.status === "queued") return "Queued";
  const { type, tasks, createdAt } = job;
  const left = timeLeft(share, now - Date.parse(createdAt));
  const ended = tasks.filter(({ status }) => status === "success" || status === "failed").length;
  if (type === "video" && share > 0) return `Segmenting: ${Math.round(share * 100)}% of the frames${left}`;
  return tasks.length > 1 ? `Segmenting: ${ended} of ${tasks.length} pictures${left}` : "Segmenting";
}
