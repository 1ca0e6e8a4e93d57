import { join } from "node:path";
import { z } from "zod";
import { createAccountOrKey } from "../../shared/database/accounts.ts";
import type { Database } from "../../shared/database/database.ts";
import { readIfPresent, writePrivateFile } from "../../shared/state/private-file.ts";
import type { StateFolder } from "../../shared/state/state-folder.ts";

const DevelopmentAccount = z.object({ accountId: z.string(), apiKey: z.string() });
export type DevelopmentAccount = z.infer<typeof DevelopmentAccount>;

/**
 * Returns the account for trying out a local stack, created at the first start. Its key is stored next to its database, so that
 * it survives restarts and a new database gets a new one. Replaces a lost key.
 */
export async function developmentAccount(
  state: StateFolder,
  database: Database,
): Promise<DevelopmentAccount> {
  const file = join(state.data, "development-account.json");
  const text = await readIfPresent(file);
  if (text !== null) return DevelopmentAccount.parse(JSON.parse(text));
  const { accountId, secret } = await createAccountOrKey(database, {
    email: "developer@example.com",
    name: "Local development",
    plan: "paid",
    keyLabel: "local development",
  });
  const account: DevelopmentAccount = { accountId, apiKey: secret };
  await writePrivateFile(file, `${JSON.stringify(account, null, 2)}\n`);
  return account;
}
