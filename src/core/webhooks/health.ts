import type { DisabledReason } from "../../contract/webhook.ts";
import { isSuccess, type AttemptEnd } from "./delivery.ts";

/** An endpoint that had no success for so long is disabled, milliseconds. */
export const PATIENCE_MS = 5 * 86_400_000;

/** Since when an endpoint has only failed (epoch ms); null while its last attempt was a success, or there was none. */
export const failingAfter = (failingSince: number | null, end: AttemptEnd, now: number): number | null =>
  isSuccess(end) ? null : (failingSince ?? now);

/** Why an endpoint is to be disabled after an attempt that ended with `status`, null if it had none; null if it is not. */
export function disablingReason(
  status: number | null,
  failingSince: number | null,
  now: number,
): DisabledReason | null {
  if (status === 410) return "gone";
  return failingSince !== null && now >= failingSince + PATIENCE_MS ? "no_success" : null;
}
