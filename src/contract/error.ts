import { z } from "zod";

/** Section 7: the body of every error response, and nothing else. */
export const ErrorObject = z.strictObject({
  error: z.string(),
  message: z.string().optional(),
  remainingTokens: z.int().min(0).optional(),
  requestedTokens: z.int().min(1).optional(),
  expiresAt: z.iso.datetime().optional(),
  activeJobId: z.string().optional(),
  upgradeUrl: z.url().optional(),
  retryAfterSeconds: z.int().min(1).optional(),
});
export type ErrorObject = z.infer<typeof ErrorObject>;

/** The optional hints of an error body: everything but its code and sentence. */
export type ErrorHints = Omit<ErrorObject, "error" | "message">;
