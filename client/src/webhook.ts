import { invalidInput, SegmentationError } from "./errors.ts";
import { bytesOf } from "./http/shapes.ts";
import type { WebhookHeaders } from "./webhook-headers.ts";
import { type WebhookEvent, whyForged } from "./webhook-signature.ts";

/**
 * The event in a request to a webhook endpoint, once it is certain that the service has sent it (Standard Webhooks). It may come
 * more than once: its id is the header `webhook-id`.
 * @param payload the body exactly as it came, before anything has parsed it
 * @param secret the endpoint's, `whsec_…`
 * @throws SegmentationError `invalid_signature` if it is not signed with the secret, or more than five minutes off; `invalid_input` if
 * an argument is no body, headers or secret
 * @example
 * const event = await verifyWebhook(await request.text(), request.headers, secret);
 * if (event.type === "job.succeeded") console.log(event.data.jobId);
 */
export async function verifyWebhook(
  payload: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
): Promise<WebhookEvent> {
  const body = typeof payload === "string" ? new TextEncoder().encode(payload) : bytesOf(payload);
  if (body === undefined)
    throw invalidInput(
      'The payload has to be the body as it came, as text or bytes. With Express, take it with express.raw({ type: "application/json" }) instead of express.json().',
    );
  const why = await whyForged(body, headers, secret, Date.now());
  if (why !== undefined)
    throw new SegmentationError(
      "invalid_signature",
      `The request is not the service's: ${why}. Answer it with 401.`,
    );
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (cause) {
    throw new SegmentationError("unreadable_answer", "The webhook's body is not JSON.", { cause });
  }
}
