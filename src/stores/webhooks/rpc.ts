import type { WebhookEventType } from "../../contract/webhook.ts";
import type { Delivery } from "../../core/webhooks/delivery.ts";

/** An event for one endpoint, as it is sent: the same bytes on every attempt. */
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

/** The methods that a WebhookObject offers to the Worker, as RPC (workers/webhook-object.ts): one object per endpoint. */
export interface WebhookRpc {
  /**
   * Takes an event to be sent, once: one that it knows stays as it is. It returns before anything is sent.
   * @returns the delivery; null if there is no such endpoint any more.
   */
  receive(endpointId: string, event: OutgoingEvent): Promise<DeliveryRecord | null>;
  /** Up to `limit` deliveries with a number below `before`, the newest first. */
  deliveries(before: number | null, limit: number): DeliveryRecord[];
  /** The account asks for another attempt. Null if the object has no such delivery, or not any more. */
  retry(deliveryId: string): Promise<DeliveryRecord | "too_many_attempts" | null>;
  /** The endpoint is enabled again: goes on with what waits. */
  resume(): Promise<void>;
  /** Forgets everything. */
  erase(): Promise<void>;
}
