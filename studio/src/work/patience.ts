import { effect } from "@preact/signals";
import { SegmentationError } from "segmentation-client";
import { isOnline } from "../state/online.ts";

/** Until the browser has a network. */
const online = (): Promise<void> =>
  new Promise((resolve) => {
    const dispose = effect(() => {
      if (!isOnline.value) return;
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
    if (!isOnline.peek()) await online();
    try {
      return await attempt();
    } catch (error) {
      const isLost = error instanceof SegmentationError && error.code === "connection_failed";
      if (!isLost || isOnline.peek()) throw error;
    }
  }
}
