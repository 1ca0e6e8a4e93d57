import type { ReadonlySignal } from "@preact/signals";
import { SegmentationError } from "segmentation-client";
import { isOnline, isReachable } from "../../state/online.ts";

/** Waits until a signal's value passes the check. */
export const until = <T>(signal: ReadonlySignal<T>, isSuch: (value: T) => boolean): Promise<void> =>
  new Promise((resolve) => {
    const dispose = signal.subscribe((value) => {
      if (!isSuch(value)) return;
      resolve();
      queueMicrotask(() => dispose());
    });
  });

const LOST: ReadonlySet<string> = new Set(["connection_failed", "timed_out"]);

/**
 * Runs an action that needs the network, and repeats it when the network or the service is back. A creating request needs the same
 * Idempotency-Key each time.
 * @throws what the attempt throws, also a lost connection if the service answers nevertheless: then the storage is out of reach
 */
export async function onceOnline<T>(attempt: () => Promise<T>): Promise<T> {
  for (let refusals = 0; ;) {
    if (!isOnline.peek()) await until(isOnline, Boolean);
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof SegmentationError) || !LOST.has(error.code)) throw error;
      if (!isOnline.peek()) continue;
      // It may have come back since.
      if (await answers()) refusals += 1;
      else await untilItAnswers();
      if (refusals > 1) throw error;
    }
  }
}

const PROBE_MS = 2_000;
const LONGEST_PROBE_MS = 10_000;

/** Tells whether the service answers. */
async function answers(): Promise<boolean> {
  const signal = AbortSignal.timeout(LONGEST_PROBE_MS);
  const answer = await fetch("/studio/config.json", { cache: "no-store", signal }).catch(() => null);
  return answer?.ok === true;
}

let probing: Promise<void> | null = null;

/** Asks again and again until the service answers; several callers ask together. */
function untilItAnswers(): Promise<void> {
  probing ??= probe().finally(() => (probing = null));
  return probing;
}

async function probe(): Promise<void> {
  isReachable.value = false;
  do await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
  while (!(await answers()));
  isReachable.value = true;
}
