import type { DisabledReason } from "../contract/webhook.ts";
import { log } from "../../shared/log.ts";
import { deliveryKeptMs, disablingReason, failingAfter, MOST_SUCCEEDED } from "../rules/endpoint.ts";
import { attempted, begun, type AttemptEnd, type Delivery } from "../rules/delivery.ts";
import { FIRST_AT_A_TIME, paceAfter, widthOf } from "../rules/pace.ts";
import { unsealSecrets, validSecrets, type WebhookSecret } from "../rules/signing.ts";
import type { Platform } from "../../platform.ts";
import { secretsOf } from "../../feature-settings.ts";
import { outcomeOf, postEvent } from "../operations/post-event.ts";
import type { EndpointTarget } from "../store/endpoints.ts";
import type { DeliveryRecord } from "../store/rpc.ts";
import type { WebhookStorage } from "../store/storage.ts";

/** Time after which no further attempt begins: the next alarm continues, with the endpoint's settings of that time. */
const RUN_MS = 60_000;

/** The endpoint of one run, from its current row. */
interface Run {
  readonly platform: Platform;
  readonly storage: WebhookStorage;
  readonly endpointId: string;
  readonly target: EndpointTarget;
  readonly secrets: readonly WebhookSecret[];
}

/** A recorded attempt, and its index among the delivery's attempts. */
interface Begun {
  readonly delivery: DeliveryRecord;
  readonly index: number;
}

/**
 * Sends the due deliveries of an endpoint, as many at a time as it keeps up with, until nothing is due, it is disabled, or the
 * run's time is over.
 * @throws if the database can't be read; nothing is lost.
 */
export async function sendDue(platform: Platform, storage: WebhookStorage): Promise<void> {
  const { endpointId } = storage;
  if (endpointId === null) return;
  purge(platform, storage, endpointId);
  const target = await platform.webhookEndpoints.target(endpointId);
  if (storage.endpointId === null) return;
  // A missing row was deleted, or lost with a restore of the database: pending deliveries end with their retention.
  if (target === null || target.isDisabled) {
    storage.isHeld = true;
    return;
  }
  storage.isHeld = false;
  if ((storage.failingSince ?? Infinity) < target.enabledAt) storage.failingSince = null;
  const secrets = await unsealSecrets(secretsOf(platform.settings), endpointId, target.sealedSecrets);
  const run = { platform, storage, endpointId, target, secrets: secrets ?? [] };
  const reason =
    secrets === null ? "secret_unreadable" : disablingReason(null, storage.failingSince, Date.now());
  if (reason !== null) return disable(run, reason);

  await sendAll(run, Date.now() + RUN_MS);
  logBacklog(platform, storage, endpointId);
}

async function sendAll(run: Run, until: number): Promise<void> {
  let pace = FIRST_AT_A_TIME;
  const underWay = new Set<Promise<void>>();
  const send = async ({ delivery, index }: Begun): Promise<void> => {
    const end = await attempt(run, delivery, index);
    // Read only now: attempts that ended meanwhile have changed it.
    pace = paceAfter(pace, end);
  };
  const begin = (): boolean => {
    const { storage } = run;
    const next = storage.endpointId === null || storage.isHeld ? null : beginNext(run);
    if (next === null) return false;
    const sending: Promise<void> = send(next).finally(() => underWay.delete(sending));
    underWay.add(sending);
    return true;
  };
  for (;;) {
    while (underWay.size < widthOf(pace) && Date.now() < until && begin());
    if (underWay.size === 0) return;
    await Promise.race(underWay);
  }
}

/** Logs the backlog of an endpoint's object, at most once per minute. */
function logBacklog({ logThrottle }: Platform, storage: WebhookStorage, endpointId: string): void {
  if (storage.endpointId === null) return;
  const { deliveries, bytes } = storage.undelivered;
  if (deliveries === 0 || logThrottle.count(`webhook_backlog ${endpointId}`, Date.now()) === 0) return;
  log("info", "webhook_backlog", { endpointId, deliveries, bytes });
}

/** Deletes expired deliveries, and reports undelivered ones. */
function purge({ policy, settings }: Platform, storage: WebhookStorage, endpointId: string): void {
  const outlived = storage.purge(Date.now() - deliveryKeptMs(policy), MOST_SUCCEEDED);
  if (outlived > 0)
    log("warn", "webhook_deliveries_dropped", { endpointId, because: "age", deliveries: outlived });
  const excess = storage.dropExcess(settings.MAX_WEBHOOK_BACKLOG_BYTES);
  if (excess > 0)
    log("error", "webhook_deliveries_dropped", { endpointId, because: "bytes", deliveries: excess });
}

/** Begins the attempt that has been due the longest: records it before making it. Null if none is due. */
function beginNext(run: Run): Begun | null {
  for (;;) {
    const now = Date.now();
    const due = run.storage.firstDue(now);
    if (due === null) return null;
    const { delivery, attempt: index } = begun(due, Math.random(), now);
    save(run, due, delivery);
    if (index !== null) return { delivery: { ...due, ...delivery }, index };
  }
}

async function attempt(run: Run, delivery: DeliveryRecord, index: number): Promise<AttemptEnd> {
  const { platform, storage, endpointId, target, secrets } = run;
  const { id: eventId, type } = delivery;
  const signing = validSecrets(secrets, Date.now()).map(({ secret }) => secret);
  const end = await postEvent(platform.settings, target.url, signing, delivery);
  const { status, ms } = end;
  log("info", "webhook_attempted", { endpointId, eventId, type, outcome: outcomeOf(end), status, ms });
  const latest = storage.endpointId === null ? null : storage.find(eventId);
  if (latest === null) return end;
  const now = Date.now();
  save(run, latest, attempted(latest, index, end, Math.random(), now));
  storage.failingSince = failingAfter(storage.failingSince, end, now);
  const reason = disablingReason(status, storage.failingSince, now);
  if (reason !== null) await disable(run, reason);
  return end;
}

/** Writes a delivery's state, and logs its end. */
function save(
  { storage, endpointId }: Run,
  { id, type, at, outcome: before }: DeliveryRecord,
  after: Delivery,
): void {
  storage.save(id, after);
  if (before !== null || after.outcome === null) return;
  const { outcome, attempts } = after;
  const ms = Date.now() - at;
  log("info", "webhook_delivery_ended", {
    endpointId,
    eventId: id,
    type,
    outcome,
    ms,
    attempts: attempts.length,
  });
}

async function disable(
  { platform, storage, endpointId, target }: Run,
  reason: DisabledReason,
): Promise<void> {
  const isNews = await platform.webhookEndpoints.disable(endpointId, reason, Date.now());
  // An object that was erased meanwhile stays empty.
  if (storage.endpointId !== null) storage.isHeld = true;
  if (isNews) log("warn", "webhook_disabled", { account: target.accountId, endpointId, reason });
}
