import { type CreateJobRequest, SegmentationError } from "segmentation-client";
import { api, client } from "../state/session.ts";
import { onceOnline } from "./patience.ts";
import type { Going } from "./work.ts";

/**
 * Creates a job. While another job of the account is in the way, or the service can't take it, it waits, which `tell` hears.
 * @throws SegmentationError, or the signal's reason
 */
export async function create(
  request: CreateJobRequest,
  tell: (going: Going) => void,
  signal?: AbortSignal,
): Promise<string> {
  const onRetry = (why: SegmentationError): void => tell({ at: "waiting", why });
  const idempotencyKey = crypto.randomUUID();
  for (;;) {
    try {
      const { jobId } = await onceOnline(
        async () => await api.value.createJob(request, { idempotencyKey, onRetry, signal }),
      );
      return jobId;
    } catch (error) {
      if (!(error instanceof SegmentationError) || error.code !== "active_job_exists") throw error;
      const inTheWay = error.activeJobId;
      if (inTheWay === undefined) throw error;
      tell({ at: "blocked", jobId: inTheWay });
      await client.value.waitForJob(inTheWay, { signal });
    }
  }
}
