import { presignRefusal, uploadBudgetOf } from "../core/accounts/budgets.ts";
import { ServiceError } from "../core/errors.ts";
import { extensionOf } from "../core/uploads/media-type.ts";
import { uploadBudgetsOf } from "../settings.ts";
import type { Account } from "../stores/accounts/accounts.ts";
import type { Platform } from "../platform.ts";

const budgetOf = ({ settings }: Platform, { accessMode }: Account) =>
  uploadBudgetOf(uploadBudgetsOf(settings), accessMode);

/** Refuses an account that has used up its budget of uploads. @throws ServiceError too_many_uploads. */
export async function refuseSpentBudget(platform: Platform, account: Account, now: number): Promise<void> {
  const use = await platform.uploads.use(account.accountId, now);
  const refusal = presignRefusal(budgetOf(platform, account), use, now);
  if (refusal !== null) throw refusal;
}

/** A new upload's id, which ends in the extension of its content type. */
export const newTaskId = (contentType: string): string =>
  `${crypto.randomUUID()}.${extensionOf(contentType)}`;

/** Records an upload whose bytes are still to come, if the account's budget has room. @throws ServiceError too_many_uploads. */
export async function recordUpload(
  platform: Platform,
  account: Account,
  upload: { readonly taskId: string; readonly contentType: string },
): Promise<void> {
  const now = Date.now();
  if (await platform.uploads.insert(account.accountId, upload, budgetOf(platform, account), now)) return;
  await refuseSpentBudget(platform, account, now);
  throw new ServiceError("too_many_uploads");
}
