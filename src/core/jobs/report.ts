import type { JobReport } from "../../contract/operator.ts";
import { wakeTime, type Delivery } from "./delivery.ts";
import { jobError, jobStatus, taskStatus } from "./rollup.ts";
import type { ArchiveEnd, JobState, TaskEnd } from "./state.ts";

const wayOf = (work: Delivery<TaskEnd | ArchiveEnd>) => ({
  at: work.step.at,
  lease: "lease" in work.step ? work.step.lease : null,
  until: wakeTime(work),
  attempts: work.attempts,
});

/** What an operator sees of a job: where everything is on its way, and nothing of what the account sent or got. */
export function jobReport(
  state: JobState,
  alarmAt: number | null,
  waiters: { readonly waits: number; readonly streams: number },
): JobReport {
  const { definition, phase, updatedAt, version, projected, unlistedAt, archive } = state;
  const { jobId, accountId, type, lane, createdAt } = definition;
  return {
    jobId,
    accountId,
    type,
    lane,
    phase,
    status: jobStatus(state.tasks),
    error: jobError(state.tasks),
    createdAt,
    updatedAt,
    version,
    projected,
    unlistedAt,
    alarmAt,
    ...waiters,
    tasks: state.tasks.map((task) => ({
      taskId: task.taskId,
      status: taskStatus(task),
      ...wayOf(task),
      sends: task.sends,
      refusals: task.refusals,
      failedAt: task.failedAt ?? null,
      problem: task.problem?.code ?? null,
    })),
    archive: archive && wayOf(archive),
  };
}
