import { z } from "zod";

const Status = z.enum(["active", "past_due", "unpaid", "canceled"]);

const Invoice = z.object({
  id: z.string(),
  customer: z.string(),
  subscription: z.string(),
  status: z.enum(["open", "paid", "uncollectible"]),
  /** Cents, and their purpose. */
  amount: z.int(),
  units: z.int().default(0),
  created: z.int(),
  /** Null for the service's price. */
  price: z.string().nullable().default(null),
  /** True while its payment is in progress, as a bank debit is for days. */
  processing: z.boolean().default(false),
});
export type Invoice = z.infer<typeof Invoice>;

const Subscription = z.object({
  id: z.string(),
  customer: z.string(),
  status: Status,
  created: z.int(),
  periodStart: z.int().default(0),
  periodEnd: z.int(),
  canceledAt: z.int().nullable(),
  latestInvoice: z.string(),
  /** Null for the service's price. */
  price: z.string().nullable().default(null),
});
export type Subscription = z.infer<typeof Subscription>;

const Customer = z.object({
  id: z.string(),
  email: z.string().nullable(),
  accountId: z.string().nullable(),
  created: z.int(),
});
export type Customer = z.infer<typeof Customer>;

const Session = z.object({
  id: z.string(),
  kind: z.enum(["checkout", "portal"]),
  customer: z.string(),
  status: z.enum(["open", "complete", "expired"]),
  reference: z.string().nullable(),
  successUrl: z.string(),
  cancelUrl: z.string(),
  created: z.int(),
});
export type Session = z.infer<typeof Session>;

const Use = z.object({
  identifier: z.string(),
  customer: z.string(),
  units: z.int(),
  /** Times at which the units were used (`timestamp`) and reported (`created`). */
  timestamp: z.int(),
  created: z.int(),
});
export type Use = z.infer<typeof Use>;

/** The fake's state. Times are epoch seconds, as in Stripe. Lists are in order of creation. */
export const StripeState = z.object({
  customers: z.array(Customer),
  /** Ids. */
  deletedCustomers: z.array(z.string()).default([]),
  sessions: z.array(Session),
  subscriptions: z.array(Subscription),
  invoices: z.array(Invoice),
  uses: z.array(Use),
});
export type StripeState = z.infer<typeof StripeState>;

export const emptyState = (): StripeState => ({
  customers: [],
  deletedCustomers: [],
  sessions: [],
  subscriptions: [],
  invoices: [],
  uses: [],
});

/** Now, in epoch seconds. */
export const nowSeconds = (): number => Math.floor(Date.now() / 1_000);

/** A new identifier, `<kind>_` and 24 letters and digits. */
export const newStripeId = (kind: string): string =>
  `${kind}_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;
