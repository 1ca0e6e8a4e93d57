import { type CreateJobRequest, SegmentationError } from "segmentation-client";
import { api, client } from "../state/session.ts";
import { onceOnline } from "./patience.ts";
import type { Going } from "./work.ts";

/**
 * Creates a job. If another job of the account is in the way it waits until that has ended, and without a network until that is
 * back; `tell` hears of both. @throws SegmentationError
 */
export async function create(request: CreateJobRequest, tell: (going: Going) => void): Promise<string> {
  const idempotencyKey = crypto.randomUUID();
  for (;;) {
    try {
      const { jobId } = await onceOnline(
        async () => await api.value.createJob(request, { idempotencyKey }),
        () => tell({ at: "offline" }),
      );
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
