import { publicUrlRefusal } from "../../shared/public-url.ts";
import { ATTEMPT_TIMEOUT_MS, isSuccess, type AttemptEnd } from "../rules/delivery.ts";
import { signedHeaders } from "../rules/signing.ts";
import { publicUrlTermsOf } from "../../feature-settings.ts";
import type { Settings } from "../../settings.ts";
import type { OutgoingEvent } from "../store/rpc.ts";

const HEADERS = { "content-type": "application/json", "user-agent": "segmentation-job-service" };

/**
 * Sends an event to an endpoint, once. Only the response's status counts: its body is not read, and a redirect is
 * not followed. Never throws.
 * @param secrets those that sign the event
 */
export async function postEvent(
  settings: Settings,
  url: string,
  secrets: readonly string[],
  { id, body }: OutgoingEvent,
): Promise<AttemptEnd> {
  const begun = Date.now();
  const took = () => Date.now() - begun;
  // The URL was allowed before; the rule, or the service's host, may have changed since.
  if (publicUrlRefusal(url, publicUrlTermsOf(settings)) !== null)
    return { status: null, error: "url_forbidden", ms: took() };
  // Not AbortSignal.timeout: its timer would keep the object awake, and paid for, after the response.
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), ATTEMPT_TIMEOUT_MS);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...HEADERS, ...(await signedHeaders(secrets, id, body, begun)) },
      body,
      redirect: "manual",
      signal: patience.signal,
    });
    const end = { status: response.status, error: null, ms: took() };
    await response.body?.cancel().catch(() => undefined);
    return end;
  } catch {
    return { status: null, error: patience.signal.aborted ? "timeout" : "unreachable", ms: took() };
  } finally {
    clearTimeout(timer);
  }
}

/** Returns the result of an attempt as one of a few words: for the log, which must not contain the URL. */
export function outcomeOf(end: AttemptEnd): string {
  if (end.status === null) return end.error ?? "unreachable";
  if (isSuccess(end)) return "delivered";
  if (end.status === 410) return "gone";
  return end.status >= 300 && end.status < 400 ? "redirected" : "refused";
}
