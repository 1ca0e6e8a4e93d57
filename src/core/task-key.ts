/** The inference service's name for one lease of one task: another lease is another task to it. */
export const taskKey = (jobId: string, taskId: string, lease: number): string =>
  `${jobId}.${taskId}.${lease}`;
