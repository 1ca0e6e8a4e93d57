import type { ReadonlySignal } from "@preact/signals";
import { SegmentationError } from "segmentation-client";
import { isOnline } from "../../state/online.ts";

/** Until a signal has such a value. */
export const until = <T>(signal: ReadonlySignal<T>, isSuch: (value: T) => boolean): Promise<void> =>
  new Promise((resolve) => {
    const dispose = signal.subscribe((value) => {
      if (!isSuch(value)) return;
      resolve();
      queueMicrotask(() => dispose());
    });
  });

/**
 * Does what needs the network, and again when it is back if there was none. What creates something has to have the same
 * Idempotency-Key each time.
 */
export async function onceOnline<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    if (!isOnline.peek()) await until(isOnline, Boolean);
    try {
      return await attempt();
    } catch (error) {
      const isLost = error instanceof SegmentationError && error.code === "connection_failed";
      if (!isLost || isOnline.peek()) throw error;
    }
  }
}
