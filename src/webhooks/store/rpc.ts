import type { WebhookEventType } from "../contract/webhook.ts";
import type { Delivery } from "../rules/delivery.ts";

/** An event for one endpoint: the same bytes on every attempt. */
export interface OutgoingEvent {
  readonly id: string;
  readonly type: WebhookEventType;
  /** Time of the event, epoch milliseconds. */
  readonly at: number;
  /** A WebhookEvent as JSON. */
  readonly body: string;
}

/** A delivery in its endpoint's object. `number` counts the endpoint's deliveries, in the order of their arrival. */
export interface DeliveryRecord extends Delivery, OutgoingEvent {
  readonly number: number;
}

/** The RPC methods that a WebhookObject offers to the Worker (object/webhook-object.ts): one object per endpoint. */
export interface WebhookRpc {
  /**
   * Accepts an event to send; does not change a known one. It returns before anything is sent.
   * @param database the database with the endpoint's row; absent for the first database
   * @returns the delivery; null if the endpoint no longer exists.
   */
  receive(endpointId: string, event: OutgoingEvent, database?: string): Promise<DeliveryRecord | null>;
  /** Up to `limit` deliveries with a number below `before`, the newest first. */
  deliveries(before: number | null, limit: number): DeliveryRecord[];
  /** Requests another attempt for the account. Null if the object has no such delivery, or no longer has it. */
  retry(deliveryId: string): Promise<DeliveryRecord | "too_many_attempts" | null>;
  /** Continues pending deliveries once the endpoint is enabled again. */
  resume(): Promise<void>;
  /** Notes the database that has the endpoint's row from now on. */
  moveTo(database: string): void;
  erase(): Promise<void>;
}
