import { z } from "zod";

/** A stable snake_case code and a sentence that tells a person what to do. */
export const TaskProblem = z.strictObject({
  code: z.string().regex(/^[a-z][a-z0-9_]{2,63}$/),
  message: z.string().min(1).max(500),
});
export type TaskProblem = z.infer<typeof TaskProblem>;
