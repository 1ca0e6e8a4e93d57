import { ServiceError } from "../core/errors.ts";
import { isJobId } from "../core/ids.ts";
import type { Platform } from "../platform.ts";

/** The JobObject of a job id that a client named. @throws ServiceError job_not_found if no job can have that id. */
export function jobObjectOf(platform: Platform, jobId: string): ReturnType<Platform["jobObject"]> {
  if (!isJobId(jobId)) throw new ServiceError("job_not_found");
  return platform.jobObject(jobId);
}
