import { Stripe } from "stripe";
import { z } from "zod";
import { log } from "../../shared/log.ts";
import { asked, CustomerGone, CustomerUnknown, isMissing, isRefused } from "./stripe-failures.ts";

/** Stripe accepts neither an empty address nor a malformed one; an identity provider may give either. */
const Address = z.email();

/**
 * Creates the customer of an account at Stripe, and sets the account's address unless Stripe would refuse it. Returns its id.
 * Sets the address separately: a repetition with the same key then gets the same customer even with a changed address.
 */
export async function createCustomer(
  stripe: Stripe,
  accountId: string,
  email: string,
  idempotencyKey: string,
): Promise<string> {
  const address = Address.safeParse(email).data;
  return asked("createCustomer", async () => {
    const { id } = await stripe.customers.create({ metadata: { accountId } }, { idempotencyKey });
    if (address === undefined) return id;
    try {
      await stripe.customers.update(id, { email: address });
    } catch (error) {
      if (!(isRefused(error) && error.param === "email")) throw error;
      log("warn", "customer_email_refused", { account: accountId, code: error.code });
    }
    return id;
  });
}

/**
 * Calls Stripe for a customer. If Stripe answers that there is no such customer, retrieves the customer itself: Stripe reports a
 * deleted one as deleted (https://docs.stripe.com/api/customers/delete), and does not know another account's.
 * @throws CustomerGone if Stripe has deleted it; CustomerUnknown if Stripe never had it; and as `asked`.
 */
export const askedOf = <Answer>(
  stripe: Stripe,
  operation: string,
  customerId: string,
  ask: () => Promise<Answer>,
): Promise<Answer> =>
  asked(operation, async () => {
    try {
      return await ask();
    } catch (error) {
      if (!isMissing(error, "customer")) throw error;
      if ((await find(stripe, customerId)) === "deleted") {
        log("warn", "customer_gone", { operation });
        throw new CustomerGone();
      }
      throw unknown(operation, customerId);
    }
  });

/**
 * Asks Stripe about each of these customers until it has, or had, one of them.
 * @throws CustomerUnknown if it never had any of them; and as `asked`.
 */
export const askForOneOf = (
  stripe: Stripe,
  operation: string,
  customerIds: readonly string[],
): Promise<void> =>
  asked(operation, async () => {
    for (const id of customerIds) if ((await find(stripe, id)) !== null) return;
    const [first] = customerIds;
    if (first !== undefined) throw unknown(operation, first);
  });

/** Logs an alarm: Stripe never had one of our customers. */
function unknown(operation: string, customerId: string): CustomerUnknown {
  log("error", "customer_unknown", {
    operation,
    customerId,
    reason: "Stripe neither has nor had this customer: is STRIPE_SECRET_KEY of another Stripe account?",
  });
  return new CustomerUnknown();
}

/** Returns Stripe's answer about a customer; null if it never had it. */
async function find(stripe: Stripe, customerId: string): Promise<"present" | "deleted" | null> {
  try {
    return (await stripe.customers.retrieve(customerId)).deleted === true ? "deleted" : "present";
  } catch (error) {
    if (isMissing(error, "id")) return null;
    throw error;
  }
}
