import { ServiceError } from "../../shared/errors.ts";
import type { LeaseClaims } from "../rules/lease.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { outputKey } from "../../shared/bucket/object-keys.ts";
import { filesRefusal } from "../rules/task-outputs.ts";
import type {
  Completion,
  LeaseExtension,
  OutputsGrant,
  OutputsRequest,
  ProgressReport,
} from "@segmentation/protocol";
import type { Platform } from "../../platform.ts";

/** Refuses outputs that such a task can't write: the versions of Worker and inference service don't match. */
function outputsRefused({ job, task, lease }: LeaseClaims, reason: string): ServiceError {
  log("error", "outputs_refused", { jobId: job, taskId: task, lease, reason });
  return new ServiceError("outputs_refused", reason);
}

/**
 * Grants a lease's holder a signed PUT for each output, under the lease's prefix. The answer, OutputsGrant, is JSON in pieces: it
 * has megabytes for a long video.
 * @throws ServiceError lease_lost, or outputs_refused if such a task does not write such files.
 */
export async function grantOutputs(
  platform: Platform,
  claims: LeaseClaims,
  { files }: OutputsRequest,
): Promise<AsyncGenerator<string>> {
  const { job, task, lease } = claims;
  const definition = await platform.jobObject(job).holding(task, lease);
  if (definition === null) throw new ServiceError("lease_lost");
  const refusal = filesRefusal(definition.type, files);
  if (refusal !== null) throw outputsRefused(claims, refusal);
  const sign = await platform.media.signOutputs(platform.policy.outputUrlMs / 1_000);
  return grantJson(files, (file) => sign(outputKey(definition, task, lease, file.name), file));
}

/** A grant for files, of which there is at least one. */
async function* grantJson(
  files: OutputsRequest["files"],
  sign: (file: OutputsRequest["files"][number]) => Promise<Omit<OutputsGrant["uploads"][number], "name">>,
): AsyncGenerator<string> {
  for (const [index, file] of files.entries())
    yield (index === 0 ? '{"uploads":[' : ",") + JSON.stringify({ name: file.name, ...(await sign(file)) });
  yield "]}";
}

/** Records the holder's progress and extends its lease. @throws ServiceError lease_lost. */
export async function extendLease(
  platform: Platform,
  { job, task, lease }: LeaseClaims,
  report: ProgressReport,
): Promise<LeaseExtension> {
  const extended = await platform.jobObject(job).extendTask(task, lease, report);
  if (extended === null) throw new ServiceError("lease_lost");
  // A picture's reports are only heartbeats, and so are a video's between two frames.
  if (extended.type === "video" && extended.advanced)
    log("info", "task_progress", { jobId: job, taskId: task, lease, ...report });
  return { deadline: extended.deadline };
}

/**
 * Records the end of the holder's attempt; the holder that ended the task may repeat its report.
 * @throws ServiceError lease_lost, or outputs_refused if such a task can't have such an output.
 */
export async function completeTask(
  platform: Platform,
  claims: LeaseClaims,
  completion: Completion,
): Promise<void> {
  const { job, task, lease } = claims;
  if (completion.outcome === "failed" && completion.problem.code === "input_changed")
    await forgetSeen(platform, claims);
  const report = await platform.jobObject(job).completeTask(task, lease, completion);
  if (report.reported === "refused") throw outputsRefused(claims, report.reason);
  log("info", "task_completed", {
    jobId: job,
    taskId: task,
    lease,
    reported: report.reported,
    outcome: completion.outcome,
    problem: completion.outcome === "failed" ? completion.problem.code : undefined,
  });
  if (report.reported === "lease_lost") throw new ServiceError("lease_lost");
}

/** Makes the next job inspect an upload that was replaced, before clients learn that this job failed. Never throws. */
async function forgetSeen(platform: Platform, { job, task, lease }: LeaseClaims): Promise<void> {
  try {
    const definition = await platform.jobObject(job).holding(task, lease);
    if (definition !== null) await platform.at(definition.database).uploads.forgetSeen(task);
  } catch (error) {
    // The bucket's event of the new file does the same.
    log("warn", "seen_upload_kept", { jobId: job, taskId: task, reason: reasonOf(error) });
  }
}
