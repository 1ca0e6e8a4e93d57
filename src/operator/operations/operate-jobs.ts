import type { CanceledJob, StuckJobs } from "../contract/operator.ts";
import { ServiceError } from "../../shared/errors.ts";
import { isJobId } from "../../shared/ids.ts";
import { log } from "../../shared/log.ts";
import { CONNECTIONS, mapPool } from "../../shared/pool.ts";
import type { Platform } from "../../platform.ts";
import { askEach } from "../../shared/storage/database-failure.ts";
import type { JobStub } from "../../jobs/store/rpc.ts";
import type { JobReport } from "../../jobs/contract/job-report.ts";

const HOUR_MS = 3_600_000;
const MOST_STUCK = 100;

/** Returns the object of a job that the operator names. @throws ServiceError job_not_found if no job can have that id. */
function objectOf(platform: Platform, jobId: string): JobStub {
  if (isJobId(jobId)) return platform.jobObject(jobId);
  throw new ServiceError("job_not_found", "A job's id is job_ and 32 hexadecimal digits. Check the id.");
}

/** An object's answer about its job. @throws ServiceError job_not_found if it has none. */
function known<T>(jobId: string, answer: T | null): T {
  if (answer !== null) return answer;
  throw new ServiceError(
    "job_not_found",
    `No JobObject knows the job ${jobId}: there never was one with this id, or it was purged after its retention or erased.`,
  );
}

/** The report of a job's object. @throws ServiceError job_not_found */
export const showJob = async (platform: Platform, jobId: string): Promise<JobReport> =>
  known(jobId, await objectOf(platform, jobId).report());

/** Wakes a job's object, and reports on it afterwards. @throws ServiceError job_not_found */
export async function wakeJob(platform: Platform, jobId: string): Promise<JobReport> {
  await objectOf(platform, jobId).wake();
  return showJob(platform, jobId);
}

/** Ends a job: its unfinished tasks fail, and cost nothing. @throws ServiceError job_not_found */
export async function cancelJob(platform: Platform, jobId: string): Promise<CanceledJob> {
  const { canceledTasks } = known(jobId, await objectOf(platform, jobId).cancel(null));
  log("warn", "job_canceled", { jobId, by: "operator", canceledTasks });
  return { jobId, canceledTasks };
}

/** The hundred oldest jobs in progress whose status has not changed for `hours`, in the databases that answer. */
export async function stuckJobs(platform: Platform, hours: number, now: number): Promise<StuckJobs> {
  const unchangedSince = now - hours * HOUR_MS;
  const { answers, away } = await askEach(platform, platform.databases, ({ oldJobs }) =>
    oldJobs.underWaySince(unchangedSince, null, MOST_STUCK),
  );
  const rows = answers
    .flatMap(({ answer }) => answer)
    .toSorted((a, b) => a.since - b.since)
    .slice(0, MOST_STUCK);
  const jobs = await mapPool(rows, CONNECTIONS, async ({ jobId, since }) => ({
    jobId,
    updatedAt: since,
    ...(await reportOf(platform, jobId)),
  }));
  return { jobs, away };
}

/** Returns the report of a listed job's object; an unreachable object does not delay the others. */
async function reportOf(
  platform: Platform,
  jobId: string,
): Promise<{ answers: boolean; report: JobReport | null }> {
  try {
    return { answers: true, report: await platform.jobObject(jobId).report() };
  } catch {
    return { answers: false, report: null };
  }
}
