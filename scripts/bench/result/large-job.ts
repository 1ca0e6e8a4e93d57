import type { Completion } from "@segmentation/protocol";
import type { ImageJobDefinition } from "../../../src/core/jobs/state.ts";

/** The most tasks of a job, with as many masks as the job may have then. */
export const LARGE = { tasks: 100, masksPerTask: 300 } as const;

/** The definition of a large job, with ids of the usual length. */
export const largeJob = (): ImageJobDefinition => ({
  jobId: "job_01a202e10425751e805a622a2cb9605e",
  accountId: "acct_01a202e10404726c9a18fc9a11ecd9d8",
  type: "image",
  processingMode: "batch",
  lane: "bulk",
  prompts: ["cat"],
  generatePreview: false,
  threshold: 0.5,
  maskThreshold: 0.5,
  createdAt: 0,
  taskIds: Array.from(
    { length: LARGE.tasks },
    (_, task) => `${String(task).padStart(8, "0")}-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg`,
  ),
});

/** How each of its tasks ends. */
export const largeCompletion = (): Completion & { outcome: "success" } => ({
  outcome: "success",
  output: {
    type: "image",
    units: 1,
    generatedAt: new Date().toISOString(),
    preview: null,
    notice: null,
    masks: Array.from({ length: LARGE.masksPerTask }, (_, maskIndex) => ({
      maskIndex,
      promptIndex: 0,
      confidence: Math.random(),
      file: `masks/${maskIndex}.png`,
    })),
  },
});
