/** Where bytes lie in the bucket: the one place that knows. */

/** An upload. */
export const inputKey = (accountId: string, taskId: string): string => `inputs/${accountId}/${taskId}`;

/** The prefix of everything that a job's tasks wrote, under any lease. */
export const outputsPrefix = (accountId: string, jobId: string): string => `outputs/${accountId}/${jobId}/`;

/** A file that one lease of a task wrote. A late holder of an older lease can't touch it. */
export const outputKey = (
  job: { accountId: string; jobId: string },
  taskId: string,
  lease: number,
  name: string,
): string => `${outputsPrefix(job.accountId, job.jobId)}${taskId}/${lease}/${name}`;

/** The prefix of all archives of a job. */
export const archivesPrefix = (accountId: string, jobId: string): string => `archives/${accountId}/${jobId}/`;

/** The archive that the builder with this lease wrote. */
export const archiveKey = (accountId: string, jobId: string, lease: number): string =>
  `${archivesPrefix(accountId, jobId)}${lease}.zip`;
