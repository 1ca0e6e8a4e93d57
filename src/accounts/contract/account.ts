import { z } from "zod";
import { AccessMode, TrialStatus } from "../../billing/contract/billing.ts";
import { DateTime } from "../../shared/api/primitives.ts";

/** Section 2.8 of the specification. */
export const Account = z
  .strictObject({
    accountId: z.string(),
    email: z.string(),
    emailVerified: z.boolean(),
    image: z.string().nullable(),
    name: z.string().meta({ description: "Without a name, the part of the e-mail address before the @." }),
    status: z.enum(["active", "suspended"]),
  })
  .meta({
    id: "Account",
    examples: [
      {
        accountId: "acct_019aa0f61c4e7d2d9be7a5f40b8a6c21",
        email: "ada@example.com",
        emailVerified: true,
        image: null,
        name: "Ada",
        status: "active",
      },
    ],
  });
export type Account = z.infer<typeof Account>;

export const AccessReason = z.enum([
  "paid_access",
  "trial_eligible",
  "trial_active",
  "trial_exhausted",
  "trial_expired",
  "billing_delinquent",
]);
export type AccessReason = z.infer<typeof AccessReason>;

/** An account's access mode, with its reason. */
export const AccountAccess = z
  .strictObject({
    mode: AccessMode,
    reason: AccessReason,
    canCreateJobs: z.boolean(),
    videoAllowed: z.boolean(),
    downloadsAllowed: z.boolean(),
    maxImageTasksPerJob: z.int().min(0),
    maxActiveJobs: z.int().min(0),
  })
  .meta({ id: "AccountAccess", description: "The account's rights, and the reason for them." });
export type AccountAccess = z.infer<typeof AccountAccess>;

/** The free trial. `consumedTokens` counts what jobs in progress have reserved; with `remainingTokens` it is the grant. */
const AccountTrial = z
  .strictObject({
    offerVersion: z.string(),
    status: TrialStatus,
    grantTokens: z.int().min(0),
    consumedTokens: z.int().min(0),
    remainingTokens: z.int().min(0),
    durationDays: z.int().min(1),
    startedAt: DateTime.nullable(),
    expiresAt: DateTime.nullable(),
    activeJobId: z.string().nullable(),
  })
  .meta({
    id: "AccountTrial",
    description:
      "The free trial. A token is one processed image or video frame. `consumedTokens` includes tokens reserved by jobs in progress.",
  });

/** The account's state at the payment provider. Each field is present once the provider has reported it. */
export const AccountBilling = z
  .strictObject({
    accessStatus: z.enum(["allowed", "blocked"]).optional(),
    currentPeriodEnd: DateTime.optional(),
    latestInvoiceStatus: z.string().optional(),
    stripeSubscriptionStatus: z.string().optional(),
  })
  .meta({
    id: "AccountBilling",
    description: "The payment provider's report. A field is absent until the provider has reported it.",
  });
export type AccountBilling = z.infer<typeof AccountBilling>;

/** Section 2.9 of the specification. A token is one processed image or video frame. */
export const AccountOverview = z
  .strictObject({
    tokenUsageLast24h: z.int().min(0),
    billing: AccountBilling,
    access: AccountAccess,
    trial: AccountTrial,
  })
  .meta({
    id: "AccountOverview",
    examples: [
      {
        tokenUsageLast24h: 3,
        billing: {},
        access: {
          mode: "trial",
          reason: "trial_active",
          canCreateJobs: true,
          videoAllowed: false,
          downloadsAllowed: true,
          maxImageTasksPerJob: 3,
          maxActiveJobs: 1,
        },
        trial: {
          offerVersion: "v1",
          status: "active",
          grantTokens: 100,
          consumedTokens: 3,
          remainingTokens: 97,
          durationDays: 14,
          startedAt: "2026-11-20T09:30:00.000Z",
          expiresAt: "2026-12-04T09:30:00.000Z",
          activeJobId: null,
        },
      },
    ],
  });
export type AccountOverview = z.infer<typeof AccountOverview>;
