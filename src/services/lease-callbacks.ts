import { ServiceError } from "../core/errors.ts";
import type { LeaseClaims } from "../core/lease-token.ts";
import { log } from "../core/log.ts";
import { outputKey } from "../core/object-keys.ts";
import { mapPool } from "../core/pool.ts";
import type { Completion, LeaseExtension, OutputsGrant, OutputsRequest } from "../inference/protocol.ts";
import type { Platform } from "../stores/platform.ts";

const UPLOAD_SECONDS = 900;
/** Signing is a matter of the processor: more at a time would only hold more in memory. */
const SIGNATURES = 16;

/**
 * The holder of a lease asks where to put its outputs: a signed PUT for each, under the lease's own prefix.
 * @throws ServiceError lease_lost, or outputs_refused where a name is given twice.
 */
export async function grantOutputs(
  platform: Platform,
  { job, task, lease }: LeaseClaims,
  { files }: OutputsRequest,
): Promise<OutputsGrant> {
  const definition = await platform.jobObject(job).holding(task, lease);
  if (definition === null) throw new ServiceError("lease_lost");
  if (new Set(files.map((file) => file.name)).size < files.length) {
    throw new ServiceError("outputs_refused", "A file is named twice.");
  }
  const uploads = await mapPool(files, SIGNATURES, async (file) => {
    const key = outputKey(definition, task, lease, file.name);
    return { name: file.name, ...(await platform.media.signOutput(key, file, UPLOAD_SECONDS)) };
  });
  return { uploads };
}

/** The holder is at work: its lease is extended. @throws ServiceError lease_lost. */
export async function extendLease(
  platform: Platform,
  { job, task, lease }: LeaseClaims,
): Promise<LeaseExtension> {
  const deadline = await platform.jobObject(job).extendTask(task, lease);
  if (deadline === null) throw new ServiceError("lease_lost");
  return { deadline };
}

/** The holder reports how its attempt ended; who ended the task may repeat it. @throws ServiceError lease_lost. */
export async function completeTask(
  platform: Platform,
  { job, task, lease }: LeaseClaims,
  completion: Completion,
): Promise<void> {
  const reported = await platform.jobObject(job).completeTask(task, lease, completion);
  log("info", "task_completed", {
    jobId: job,
    taskId: task,
    lease,
    reported,
    outcome: completion.outcome,
    ...(completion.outcome === "failed" && { problem: completion.problem.code }),
  });
  if (reported === "lease_lost") throw new ServiceError("lease_lost");
}
