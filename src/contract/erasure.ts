import { z } from "zod";

/**
 * How far the erasure of an account is, as the operator's API tells it. `erasing`: something is left. `emptied`:
 * nothing is left; who had a signed URL for a PUT may still write, so the sweep looks once more. `erased`: it has looked,
 * and nobody can write any more.
 */
export const ErasureReport = z.object({
  accountId: z.string(),
  state: z.enum(["erasing", "emptied", "erased"]),
  jobsLeft: z.int(),
  uploadsLeft: z.int(),
  /** Webhook endpoints whose deliveries are not gone; an older Worker has none. */
  endpointsLeft: z.int().default(0),
  /** Whether the bucket may still have files of the account. */
  filesLeft: z.boolean(),
  /** How many jobs, uploads and files this run has deleted. */
  deleted: z.int(),
  /** When the sweep may look once more: epoch milliseconds. */
  looksAgainAt: z.number(),
  /** What the payment provider has of the account, for the operator to delete there. */
  customerIds: z.array(z.string()).readonly(),
});
export type ErasureReport = z.infer<typeof ErasureReport>;
