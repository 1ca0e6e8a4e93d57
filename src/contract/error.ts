import { z } from "zod";

/** Section 7: the body of every error response, and nothing else. */
export const ErrorObject = z
  .strictObject({
    error: z.string().meta({ description: "A stable code." }),
    message: z.string().optional().meta({ description: "What is wrong, and what to do about it." }),
    remainingTokens: z.int().min(0).optional().meta({ description: "Tokens left in the trial." }),
    requestedTokens: z.int().min(1).optional().meta({ description: "Tokens that the job needs." }),
    expiresAt: z.iso.datetime().optional().meta({ description: "When the trial ends, or ended." }),
    activeJobId: z.string().optional().meta({ description: "The job that stands in the way." }),
    upgradeUrl: z.url().optional().meta({ description: "Where to upgrade." }),
    retryAfterSeconds: z.int().min(1).optional().meta({ description: "When to try again." }),
  })
  .meta({ id: "ErrorObject", description: "The body of every error." });
export type ErrorObject = z.infer<typeof ErrorObject>;

/** The optional hints of an error body: everything but its code and sentence. */
export type ErrorHints = Omit<ErrorObject, "error" | "message">;
