import { z } from "zod";

export const AccessMode = z.enum(["paid", "trial", "blocked"]);
export type AccessMode = z.infer<typeof AccessMode>;

export const TrialStatus = z.enum(["eligible", "active", "exhausted", "expired"]);
export type TrialStatus = z.infer<typeof TrialStatus>;

/** Section 2.10 of the specification: the URL to which the client sends the browser. */
export const BillingUrl = z
  .strictObject({ url: z.url() })
  .meta({ id: "BillingUrl", examples: [{ url: "https://checkout.stripe.com/c/pay/cs_live_a1" }] });
export type BillingUrl = z.infer<typeof BillingUrl>;
