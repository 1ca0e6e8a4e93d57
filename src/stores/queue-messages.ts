import { z } from "zod";

/** Messages carry ids only: what they are about is asked of the JobObject when they arrive. */
export const TaskMessage = z.strictObject({ v: z.literal(1), jobId: z.string(), taskId: z.string() });
export type TaskMessage = z.infer<typeof TaskMessage>;

export const ArchiveMessage = z.strictObject({ v: z.literal(1), jobId: z.string() });
export type ArchiveMessage = z.infer<typeof ArchiveMessage>;
