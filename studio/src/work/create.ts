import { type CreateJobRequest, SegmentationError } from "segmentation-client";
import { api, client } from "../state/session.ts";
import { onceOnline } from "./patience.ts";
import type { Going } from "./work.ts";

/**
 * Creates a job. If another job of the account is in the way it waits until that has ended, which `tell` hears. @throws SegmentationError
 */
export async function create(request: CreateJobRequest, tell: (going: Going) => void): Promise<string> {
  const idempotencyKey = crypto.randomUUID();
  for (;;) {
    try {
      const { jobId } = await onceOnline(async () => await api.value.createJob(request, { idempotencyKey }));
      return jobId;
    } catch (error) {
      if (!(error instanceof SegmentationError) || error.code !== "active_job_exists") throw error;
      const inTheWay = error.activeJobId;
      if (inTheWay === undefined) throw error;
      tell({ at: "blocked", jobId: inTheWay });
      await client.value.waitForJob(inTheWay);
    }
  }
}
