import type { Account } from "../../contract/account.ts";
import type { Platform } from "../../platform.ts";

/** getAccount: who the authenticated account is. */
export async function getAccount(platform: Platform, accountId: string): Promise<Account> {
  const profile = await platform.accounts.profile(accountId);
  if (profile === null) throw new Error("an authenticated account is not there");
  return profile;
}
