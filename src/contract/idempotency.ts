import { z } from "zod";

/** The header `Idempotency-Key`: names a request that may be repeated. */
export const IdempotencyKey = z
  .string()
  .min(1)
  .max(128)
  .meta({
    description:
      "Identifies the request, so that it can be repeated safely: for 24 hours a repetition gets the first response, with the header `Idempotent-Replayed`.",
    examples: ["8e03978e-40d5-43e8-bc93-6894a57f9324"],
  });
