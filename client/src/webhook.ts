import { loaded, SegmentationError } from "./errors.ts";
import type { WebhookEvent, WebhookHeaders } from "./webhook-signature.ts";

/**
 * The event in a request to a webhook endpoint, once it is certain that the service has sent it (Standard Webhooks). It may come
 * more than once: its id is the header `webhook-id`.
 * @param payload the body exactly as it came, before anything has parsed it
 * @param secret the endpoint's, `whsec_…`
 * @throws SegmentationError `invalid_signature` if it is not signed with the secret, or more than five minutes off
 * @example
 * const event = await verifyWebhook(await request.text(), request.headers, secret);
 * if (event.type === "job.succeeded") console.log(event.data.jobId);
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
): Promise<WebhookEvent> {
  const { whyForged } = await loaded(import("./webhook-signature.ts"));
  const why = await whyForged(payload, headers, secret, Date.now());
  if (why !== undefined)
    throw new SegmentationError(
      "invalid_signature",
      `The request is not the service's: ${why}. Answer it with 401.`,
    );
  return JSON.parse(typeof payload === "string" ? payload : new TextDecoder().decode(payload));
}
