/** The inference service's name for one lease of one task. To that service, another lease is another task. */
export const taskKey = (jobId: string, taskId: string, lease: number): string =>
  `${jobId}.${taskId}.${lease}`;
