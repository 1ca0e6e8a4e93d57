import { z } from "zod";

/** Section 2.10 of the specification: where the client's browser goes next. */
export const BillingUrl = z
  .strictObject({ url: z.url() })
  .meta({ id: "BillingUrl", examples: [{ url: "https://checkout.stripe.com/c/pay/cs_live_a1" }] });
export type BillingUrl = z.infer<typeof BillingUrl>;
