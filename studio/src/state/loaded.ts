import { type Signal, useSignal } from "@preact/signals";
import { useCallback, useEffect } from "preact/hooks";

/** What a screen asked for: on its way, there, or why not. What was there before stays while it is asked for again. */
export interface Loaded<T> {
  readonly value: Signal<T | undefined>;
  readonly error: Signal<unknown>;
  /** Asks again. */
  readonly reload: () => void;
}

/** Asks when the screen appears, and again when one of `inputs` changes. A screen that goes away aborts. */
export function useLoaded<T>(
  ask: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[] = [],
): Loaded<T> {
  const value = useSignal<T | undefined>(undefined);
  const error = useSignal<unknown>(null);
  const round = useSignal(0);
  const { value: current } = round;
  const take = async (aborted: AbortSignal): Promise<void> => {
    try {
      const answer = await ask(aborted);
      if (aborted.aborted) return;
      value.value = answer;
      error.value = null;
    } catch (reason) {
      if (!aborted.aborted) error.value = reason;
    }
  };
  useEffect(() => {
    const controller = new AbortController();
    void take(controller.signal);
    return () => controller.abort();
    // The function is new at each drawing; what it depends on is said by the inputs.
  }, [current, ...inputs]);
  const reload = useCallback(() => {
    round.value += 1;
  }, [round]);
  return { value, error, reload };
}
