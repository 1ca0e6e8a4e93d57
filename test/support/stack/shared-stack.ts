import { inject } from "vitest";
import { z } from "zod";
import { createAccount } from "../../../scripts/shared/database/accounts.ts";
import { openLocalDatabase } from "../../../scripts/shared/database/database.ts";
import { StackAddress, stateFolder } from "../../../scripts/shared/state/state-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Answers with the shared stack's address once it is up. */
    readonly sharedStackUrl: string;
  }
}

/** The stack that several test files share. No test stops it, or changes anything outside its account. */
export type SharedStack = z.infer<typeof SharedStack>;
const SharedStack = StackAddress.required({ identityUrl: true, billingUrl: true }).extend({
  stateDir: z.string(),
});

/** The shared stack, started if it is not running; `apiKey` belongs to a new paid account. */
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
