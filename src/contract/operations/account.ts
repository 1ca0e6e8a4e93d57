import { Account, AccountOverview } from "../account.ts";
import type { Operation } from "../operation.ts";

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
    success: "What the account may do, and what it has used.",
    errors: [],
  },
} as const satisfies Record<string, Operation>;
