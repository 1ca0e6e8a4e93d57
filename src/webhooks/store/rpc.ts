import type { WebhookEventType } from "../contract/webhook.ts";
import type { Delivery } from "../rules/delivery.ts";

/** An event as it is sent to one endpoint: the same bytes on every attempt. */
export interface OutgoingEvent {
  readonly id: string;
  readonly type: WebhookEventType;
  /** When it happened, epoch milliseconds. */
  readonly at: number;
  /** A WebhookEvent as JSON. */
  readonly body: string;
}

/** A delivery as its endpoint's object keeps it. `number` counts the endpoint's deliveries, in the order of their arrival. */
export interface DeliveryRecord extends Delivery, OutgoingEvent {
  readonly number: number;
}

/** The methods that a WebhookObject offers to the Worker, as RPC (object/webhook-object.ts): one object per endpoint. */
export interface WebhookRpc {
  /**
   * Accepts an event to send; a known one stays as it is. It returns before anything is sent.
   * @param database where the endpoint's row is; absent for the first database
   * @returns the delivery; null if the endpoint no longer exists.
   */
  receive(endpointId: string, event: OutgoingEvent, database?: string): Promise<DeliveryRecord | null>;
  /** Up to `limit` deliveries with a number below `before`, the newest first. */
  deliveries(before: number | null, limit: number): DeliveryRecord[];
  /** The account requests another attempt. Null if the object has no such delivery, or no longer has it. */
  retry(deliveryId: string): Promise<DeliveryRecord | "too_many_attempts" | null>;
  /** The endpoint is enabled again: pending deliveries continue. */
  resume(): Promise<void>;
  /** The account's books are being moved: the endpoint's row is in this database from now on. */
  moveTo(database: string): void;
  /** Deletes everything. */
  erase(): Promise<void>;
}
