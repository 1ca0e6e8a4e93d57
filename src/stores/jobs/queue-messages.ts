import { z } from "zod";

/** Messages carry ids only. Whoever receives one asks the JobObject for the rest. */
export const TaskMessage = z.strictObject({ v: z.literal(1), jobId: z.string(), taskId: z.string() });
export type TaskMessage = z.infer<typeof TaskMessage>;

export const ArchiveMessage = z.strictObject({ v: z.literal(1), jobId: z.string() });
export type ArchiveMessage = z.infer<typeof ArchiveMessage>;
