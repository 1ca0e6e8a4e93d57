import { z } from "zod";
import { TaskId } from "../../shared/api/primitives.ts";

/** Uploads with signed URLs. */
export const SignedInputs = z.array(
  z.strictObject({
    taskId: TaskId,
    url: z.url().meta({ description: "The signed URL of the upload." }),
    expiresIn: z.int().min(60),
  }),
);
export type SignedInputs = z.infer<typeof SignedInputs>;

/** The answer of GET /v1/jobs/{jobId}/inputs. */
export const JobInputs = z
  .strictObject({
    inputs: SignedInputs.meta({
      description:
        "The job's uploads that are still kept, in the order of its tasks, with signed URLs; `expiresIn` is in seconds.",
    }),
  })
  .meta({ id: "JobInputs" });
export type JobInputs = z.infer<typeof JobInputs>;
