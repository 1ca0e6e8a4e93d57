import { z } from "zod";

/** Section 7 of the specification: the body of every error response, and nothing else. */
export const ErrorObject = z
  .strictObject({
    error: z.string().meta({ description: "A stable code for programs." }),
    message: z.string().optional().meta({ description: "The problem and its remedy." }),
    remainingTokens: z.int().min(0).optional().meta({ description: "Tokens left in the free trial." }),
    requestedTokens: z.int().min(1).optional().meta({ description: "Tokens that the refused job needs." }),
    expiresAt: z.iso
      .datetime()
      .optional()
      .meta({ description: "Time at which the free trial ends or ended." }),
    activeJobId: z.string().optional().meta({ description: "The job in progress that blocks a new one." }),
    upgradeUrl: z.url().optional().meta({ description: "The page on which to upgrade or pay." }),
    retryAfterSeconds: z
      .int()
      .min(1)
      .optional()
      .meta({ description: "Seconds to wait before trying again." }),
  })
  .meta({ id: "ErrorObject", description: "The body of every error response." });
export type ErrorObject = z.infer<typeof ErrorObject>;

/** The optional hints of an error body: everything but its code and sentence. */
export type ErrorHints = Omit<ErrorObject, "error" | "message">;
