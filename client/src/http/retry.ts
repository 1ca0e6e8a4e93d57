import { SegmentationError, type ErrorCode } from "../errors.ts";
import type { CallOptions } from "../options.ts";

/** Limits of a request's repetitions. */
export interface Patience {
  readonly maxRetries: number;
  /** The pause before the first repetition, in milliseconds. */
  readonly retryDelayMs: number;
}

/** The longest pause: a caller follows a later Retry-After itself. */
const LONGEST_PAUSE_MS = 60_000;

const PASSING_CODES = new Set<ErrorCode>(["connection_failed", "timed_out", "idempotency_in_progress"]);
/** From 520 on they are Cloudflare's: it did not reach the service, or not in time. */
const PASSING_STATUSES = new Set([408, 429, 502, 503, 504, 520, 521, 522, 523, 524]);

/** True if the same request may succeed later. */
export function mayPass({ code, status = 200 }: SegmentationError): boolean {
  // A 503 that lasts until the operator has set billing up.
  if (code === "billing_not_configured") return false;
  if (PASSING_CODES.has(code) || PASSING_STATUSES.has(status)) return true;
  // A garbled answer, or the answer of a busy object storage.
  return code === "unreadable_answer" ? status < 300 : code === "storage_refused" && status >= 500;
}

/** A random time from half a pause to a whole one: clients that failed together don't come back together. */
export function pauseMs(failures: number, retryDelayMs: number, retryAfterSeconds = 0): number {
  const doubled = Math.min(retryDelayMs * 2 ** failures, LONGEST_PAUSE_MS);
  return retryAfterSeconds * 1_000 + doubled * (0.5 + Math.random() / 2);
}

/** Waits for a number of milliseconds. @throws the signal's reason if it aborts */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
  });
}

/** Repeats an attempt after temporary failures; `failures` counts those before it. Calls `onRetry` with each. */
export async function persist<T>(
  patience: Patience,
  { signal, onRetry, maxRetries = patience.maxRetries }: CallOptions,
  attempt: (failures: number) => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt(failures);
    } catch (error) {
      if (!(error instanceof SegmentationError) || !mayPass(error) || failures >= maxRetries) throw error;
      const { retryAfterSeconds = 0 } = error;
      if (retryAfterSeconds * 1_000 > LONGEST_PAUSE_MS) throw error;
      const pause = pauseMs(failures, patience.retryDelayMs, retryAfterSeconds);
      onRetry?.(error, pause);
      await sleep(pause, signal);
    }
  }
}
