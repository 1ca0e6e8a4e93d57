import { DurableObject } from "cloudflare:workers";
import { log, reasonOf } from "../../shared/log.ts";
import { deliveryKeptMs, nextWake } from "../rules/endpoint.ts";
import { askedAgain } from "../rules/delivery.ts";
import type { Env } from "../../env.ts";
import { platformOf, type Platform } from "../../platform.ts";
import type { DeliveryRecord, OutgoingEvent, WebhookRpc } from "../store/rpc.ts";
import { WebhookStorage } from "../store/storage.ts";
import { sendDue } from "./send-due.ts";

const BROKEN_RETRY_MS = 60_000;

/**
 * The deliveries of one webhook endpoint: the methods of WebhookRpc. Each writes first; the alarm sends. Every endpoint has a
 * separate object, so that a slow or dead one does not delay the others.
 */
export class WebhookObject extends DurableObject<Env> implements WebhookRpc {
  readonly #storage = new WebhookStorage(this.ctx.storage);
  #erasures = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    void ctx.blockConcurrencyWhile(() => this.#storage.alarm.load());
  }

  get #platform(): Platform {
    return platformOf(this.env);
  }

  async receive(endpointId: string, event: OutgoingEvent, database?: string): Promise<DeliveryRecord | null> {
    const storage = this.#storage;
    if (storage.endpointId === null) {
      // An erased object must not be created again for an event that was already on its way.
      const erasures = this.#erasures;
      const target = await this.#platform.at(database).webhookEndpoints.target(endpointId);
      if (target === null || erasures !== this.#erasures) return null;
      storage.begin(endpointId);
    }
    storage.database = database;
    const delivery = storage.add(event, Date.now());
    // Only an enabled endpoint receives events.
    storage.isHeld = false;
    await this.#rearm();
    return delivery;
  }

  deliveries(before: number | null, limit: number): DeliveryRecord[] {
    return this.#storage.endpointId === null
      ? []
      : this.#storage.page(before ?? Number.MAX_SAFE_INTEGER, limit);
  }

  async retry(deliveryId: string): Promise<DeliveryRecord | "too_many_attempts" | null> {
    const known = this.#storage.endpointId === null ? null : this.#storage.find(deliveryId);
    if (known === null) return null;
    const asked = askedAgain(known, Date.now());
    if (asked === null) return "too_many_attempts";
    this.#storage.save(deliveryId, asked);
    this.#storage.isHeld = false;
    await this.#rearm();
    return { ...known, ...asked };
  }

  async resume(): Promise<void> {
    if (this.#storage.endpointId === null) return;
    this.#storage.isHeld = false;
    this.#storage.failingSince = null;
    await this.#rearm();
  }

  moveTo(database: string): void {
    if (this.#storage.endpointId !== null) this.#storage.database = database;
  }

  async erase(): Promise<void> {
    this.#erasures += 1;
    await this.#storage.clear();
  }

  /**
   * Sends due deliveries. Never throws, even while a setting is missing: the platform drops an alarm that throws too often, and
   * with it everything pending.
   */
  override async alarm(): Promise<void> {
    this.#storage.alarm.wentOff();
    if (this.#storage.endpointId === null) return;
    try {
      // The alarm wakes an interrupted run again.
      await this.#storage.alarm.set(Date.now() + BROKEN_RETRY_MS);
      await sendDue(this.#platform.at(this.#storage.database), this.#storage);
      await this.#rearm();
    } catch (error) {
      const { endpointId } = this.#storage;
      log("error", "alarm_failed", { object: endpointId, reason: reasonOf(error) });
      if (endpointId !== null) await this.#storage.alarm.set(Date.now() + BROKEN_RETRY_MS);
    }
  }

  /** Sets the next alarm. With nothing to keep, the object erases itself. */
  async #rearm(): Promise<void> {
    if (this.#storage.endpointId === null) return;
    const { alarm, pending } = this.#storage;
    if (pending.oldestAt === null) return this.erase();
    const keptMs = deliveryKeptMs(this.#platform.policy);
    await alarm.set(nextWake(pending, keptMs, alarm.setFor, Date.now()));
  }
}
