import type { WebhookEventType } from "../../contract/webhook.ts";

/** Whether an endpoint is told of an event: it was there when that happened (`at`, epoch ms), and wants its type. */
export const wants = (
  { events, createdAt }: { readonly events: readonly WebhookEventType[] | null; readonly createdAt: number },
  { type, at }: { readonly type: WebhookEventType; readonly at: number },
): boolean => createdAt <= at && (events === null || events.includes(type));
