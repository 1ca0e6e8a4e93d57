import { Account, AccountOverview } from "./account.ts";
import type { Operation } from "../../shared/api/operation.ts";
import { AccountUsage, UsageQuery } from "../../billing/contract/usage.ts";

/** Operations of the tag "Account". */
export const ACCOUNT_OPERATIONS = {
  getAccount: {
    method: "get",
    path: "/v1/account",
    tag: "Account",
    summary: "Get the account",
    status: 200,
    answer: Account,
    success: "The account that the credential belongs to.",
    errors: [],
  },
  getAccountOverview: {
    method: "get",
    path: "/v1/account/overview",
    tag: "Account",
    summary: "Get the account's usage, billing, access and trial",
    status: 200,
    answer: AccountOverview,
    success: "The account's rights and usage.",
    errors: [],
  },
  getAccountUsage: {
    method: "get",
    path: "/v1/account/usage",
    tag: "Account",
    summary: "Get the account's usage per day",
    description:
      "Days are in UTC: at most 366 of the last 400, and the last 30 without a query. A job counts on the day it ended.",
    query: UsageQuery,
    status: 200,
    answer: AccountUsage,
    success: "Every day of the period, earliest first.",
    errors: ["invalid_period"],
  },
} as const satisfies Record<string, Operation>;
