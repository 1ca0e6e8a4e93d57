import { inject } from "vitest";
import { z } from "zod";
import { createAccount } from "../../../scripts/admin/accounts.ts";
import { openLocalDatabase } from "../../../scripts/admin/database.ts";
import { StackAddress } from "../../../scripts/stack/start-stack.ts";
import { stateFolder } from "../../../scripts/stack/state-folder.ts";

/** The stack that several test files share: none of them stops it, or changes what is not its own account's. */
export type SharedStack = z.infer<typeof SharedStack>;
const SharedStack = StackAddress.required({ identityUrl: true, billingUrl: true }).extend({
  stateDir: z.string(),
});

/** The shared stack, started where it is not yet; its `apiKey` is that of a new paid account. */
export async function useSharedStack(): Promise<SharedStack> {
  const response = await fetch(inject("sharedStackUrl"));
  if (!response.ok) throw new Error(await response.text());
  const stack = SharedStack.parse(await response.json());
  const database = await openLocalDatabase(stateFolder(stack.stateDir));
  const { secret } = await createAccount(database, {
    email: `${crypto.randomUUID()}@example.com`,
    name: "A test",
    plan: "paid",
    keyLabel: "test",
  });
  return { ...stack, apiKey: secret };
}
