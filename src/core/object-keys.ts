/** Where bytes lie in the bucket: the one place that knows. */

/** An upload. */
export const inputKey = (accountId: string, taskId: string): string => `inputs/${accountId}/${taskId}`;

/** Everything that a job's tasks wrote, whichever lease they held. */
export const outputsPrefix = (accountId: string, jobId: string): string => `outputs/${accountId}/${jobId}/`;

/** A file that one lease of a task wrote: a late holder of an older lease can't touch it. */
export const outputKey = (
  job: { accountId: string; jobId: string },
  taskId: string,
  lease: number,
  name: string,
): string => `${outputsPrefix(job.accountId, job.jobId)}${taskId}/${lease}/${name}`;

/** All archives of a job. */
export const archivesPrefix = (accountId: string, jobId: string): string => `archives/${accountId}/${jobId}/`;

/** The archive that one build of it wrote. */
export const archiveKey = (accountId: string, jobId: string, lease: number): string =>
  `${archivesPrefix(accountId, jobId)}${lease}.zip`;
