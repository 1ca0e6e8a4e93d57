import { ServiceError } from "../../shared/errors.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { signatureProblem } from "../rules/stripe-signature.ts";
import { eventIn, type PaymentEvent, type Payments } from "../store/payments.ts";
import { CustomerGone } from "../store/stripe-failures.ts";
import type { Platform } from "../../platform.ts";
import { logSparsely } from "../../shared/api/log-sparsely.ts";

/** The types of events after which a customer's access may have changed. */
const RELEVANT = /^(customer\.subscription|invoice|checkout\.session)\./;

/**
 * Refuses a webhook by its header alone, before its body is read: a header without a current signature can't be the payment
 * provider's.
 * @throws ServiceError not_found where the operator has no billing, invalid_signature.
 */
export function admitStripeEvent(platform: Platform, signature: string | undefined): void {
  if (platform.payments === null) throw new ServiceError("not_found");
  const problem = signatureProblem(signature, Date.now());
  if (problem !== null) throw refusedEvent(platform, `the signature is ${problem}`);
}

/** The refusal of a webhook that the payment provider has not signed. */
function refusedEvent(platform: Platform, reason: string): ServiceError {
  logSparsely(platform, "webhook_refused", { reason });
  return new ServiceError("invalid_signature");
}

/**
 * Receives a webhook of the payment provider. The event only says which customer changed; the state is then fetched. A signed
 * one without an object names none: it is ignored, and logged, or the provider would repeat it and in the end disable the endpoint.
 * Events come late, twice and in any order, but the provider's answer is always true.
 * @throws ServiceError as admitStripeEvent; any error, after which the provider sends the event again.
 */
export async function receiveStripeEvent(platform: Platform, body: string, signature: string): Promise<void> {
  const { payments } = platform;
  if (payments === null) throw new ServiceError("not_found");
  await payments.verifyEvent(body, signature).catch((error: unknown) => {
    throw refusedEvent(platform, reasonOf(error));
  });
  const event = eventIn(body);
  if (event === null || !event.hasObject) {
    log("warn", "stripe_event", { eventId: event?.id, type: event?.type, outcome: "without_object" });
    return;
  }
  const outcome =
    event.customerId === null
      ? "not_interesting"
      : await takeWhereKnown(platform, payments, event, event.customerId);
  log("info", "stripe_event", { eventId: event.id, type: event.type, outcome });
}

type Outcome = "written" | "known" | "subsumed" | "forgotten" | "unknown_customer" | "not_interesting";

/** A database does not have the customer. */
class NotHere extends Error {}

/**
 * Takes an event in the database that has its customer. Stripe names the customer and not the account, so this asks all of them
 * at once: a database that never answers delays no other's customers.
 * @throws the error of a database that can't be asked, if no other has the customer: the provider sends the event again.
 */
async function takeWhereKnown(
  { at, databases }: Platform,
  payments: Payments,
  event: PaymentEvent,
  customerId: string,
): Promise<Outcome> {
  const answers = databases.map(async (database) => {
    const outcome = await takeEvent(at(database), payments, event, customerId);
    if (outcome === "unknown_customer") throw new NotHere();
    return outcome;
  });
  try {
    return await Promise.any(answers);
  } catch (error) {
    const failures: unknown[] = error instanceof AggregateError ? error.errors : [error];
    const failure = failures.find((one) => !(one instanceof NotHere));
    if (failure === undefined) return "unknown_customer";
    throw failure;
  }
}

async function takeEvent(
  platform: Platform,
  payments: Payments,
  event: PaymentEvent,
  customerId: string,
): Promise<Outcome> {
  const forget = async (): Promise<Outcome> =>
    (await platform.billing.forgetCustomer(customerId, event, Date.now())) ? "forgotten" : "unknown_customer";
  if (event.type === "customer.deleted") return forget();
  if (!RELEVANT.test(event.type)) return "not_interesting";
  try {
    return await refresh(platform, payments, event, customerId);
  } catch (error) {
    // The end of a deleted customer's subscription is an event, too, and may come first.
    if (error instanceof CustomerGone) return forget();
    throw error;
  }
}

/**
 * Fetches a customer's state and writes it with the event, unless another write came since we read the version: that
 * state may be newer than ours. Then we fetch again, at most once: of two writes after our first read, the second fetched
 * the state after our event had arrived, so it includes what our event is about.
 */
async function refresh(
  { billing }: Platform,
  payments: Payments,
  event: PaymentEvent,
  customerId: string,
): Promise<Outcome> {
  let first: number | undefined;
  for (;;) {
    const reading = await billing.readForEvent(customerId, event.id);
    if (reading === null) return "unknown_customer";
    if (reading.isHandled) return "known";
    first ??= reading.version;
    if (reading.version >= first + 2) break;
    const state = await payments.stateOf(customerId);
    if (await billing.write(customerId, reading.version, state, event, Date.now())) return "written";
  }
  await billing.noteEvent(event, Date.now());
  return "subsumed";
}
