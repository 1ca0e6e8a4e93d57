import { z } from "zod";
import { MOST_FILES_PER_TASK, OutputContentType, OutputName } from "./outputs.ts";
import { TaskProblem } from "./problems.ts";
import { TaskOutput } from "./task-output.ts";

/** A file that the inference service wants to write; its URL is signed for exactly this type, size and MD5. */
export const OutputFile = z.strictObject({
  name: OutputName,
  contentType: OutputContentType,
  size: z.int().positive(),
  /** Base64 of the MD5 digest, sent as Content-MD5: the checksum that R2 verifies everywhere. */
  md5: z.base64().length(24),
});
export type OutputFile = z.infer<typeof OutputFile>;

/** The files that a task wants to write. */
export const OutputsRequest = z.strictObject({
  files: z.array(OutputFile).min(1).max(MOST_FILES_PER_TASK),
});
export type OutputsRequest = z.infer<typeof OutputsRequest>;

/** One signed URL per file, in the request's order. The PUT must send `headers` unchanged. */
export const OutputsGrant = z.strictObject({
  uploads: z.array(
    z.strictObject({ name: OutputName, url: z.url(), headers: z.record(z.string(), z.string()) }),
  ),
});
export type OutputsGrant = z.infer<typeof OutputsGrant>;

/** A task's progress in units (pictures or frames); each report extends the lease. */
export const ProgressReport = z.strictObject({
  done: z.int().nonnegative(),
  total: z.int().positive(),
});
export type ProgressReport = z.infer<typeof ProgressReport>;

/** The lease's new deadline, in epoch milliseconds. */
export const LeaseExtension = z.strictObject({ deadline: z.int().positive() });
export type LeaseExtension = z.infer<typeof LeaseExtension>;

/**
 * The end of a task. `retryable` is true if another attempt may succeed (after a crash, a full disk). `returned` means
 * that the inference service stopped before the task was done; the task loses no attempt.
 */
export const Completion = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.literal("success"), output: TaskOutput }),
  z.strictObject({ outcome: z.literal("failed"), problem: TaskProblem, retryable: z.boolean() }),
  z.strictObject({ outcome: z.literal("returned") }),
]);
export type Completion = z.infer<typeof Completion>;
