import { Stripe } from "stripe";
import { z } from "zod";
import { log } from "../../core/log.ts";
import { asked, CustomerGone, CustomerUnknown, isMissing, isRefused } from "./stripe-failures.ts";

/** Stripe accepts neither an empty address nor a malformed one; an identity provider may give either. */
const Address = z.email();

/**
 * Creates the customer of an account at Stripe, and gives it the account's address unless Stripe would refuse that. Returns its
 * id. The address is not among what is created: with the same key a repetition gets the same customer, whatever the account's
 * address is by then.
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
 * Calls Stripe for a customer. Where Stripe says that there is no such customer, it is asked for the customer itself: it tells
 * of a deleted one that it is deleted (https://docs.stripe.com/api/customers/delete), and knows nothing of another account's.
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
 * Asks Stripe whether it has one of these customers, or had it, until it says so of one.
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

/** Logs the alarm that Stripe never had a customer of ours. */
function unknown(operation: string, customerId: string): CustomerUnknown {
  log("error", "customer_unknown", {
    operation,
    customerId,
    reason: "Stripe neither has nor had this customer: is STRIPE_SECRET_KEY of another Stripe account?",
  });
  return new CustomerUnknown();
}

/** What Stripe says of a customer; null if it never had it. */
async function find(stripe: Stripe, customerId: string): Promise<"present" | "deleted" | null> {
  try {
    return (await stripe.customers.retrieve(customerId)).deleted === true ? "deleted" : "present";
  } catch (error) {
    if (isMissing(error, "id")) return null;
    throw error;
  }
}
