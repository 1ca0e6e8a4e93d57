import { type Signal, useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { isOnline } from "./online.ts";
import { isExpired } from "./session.ts";

/** Data that a screen requested: loading, loaded, or the error. Earlier data stays while it is requested again. */
export interface Loaded<T> {
  readonly value: Signal<T | undefined>;
  readonly error: Signal<unknown>;
  /** Requests it again. */
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
    // The function is new at each render; the inputs name its dependencies.
  }, [current, ...inputs]);
  const reload = useCallback(() => (round.value += 1), [round]);
  return { value, error, reload };
}

/**
 * Calls `ask` repeatedly, `pauseMs` after each call's end, while `isWanted` and the page is visible. Failures
 * are ignored: the screen keeps its content, and the next call may succeed.
 */
export function usePoll(
  ask: (signal: AbortSignal) => Promise<void>,
  pauseMs: number,
  isWanted: boolean,
): void {
  const newest = useRef(ask);
  newest.current = ask;
  useEffect(() => {
    if (!isWanted) return () => {};
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const turn = async (): Promise<void> => {
      if (document.visibilityState === "visible" && isOnline.peek() && !isExpired.peek())
        await newest.current(signal).catch(() => {});
      if (!signal.aborted) timer = setTimeout(() => void turn(), pauseMs);
    };
    timer = setTimeout(() => void turn(), pauseMs);
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [pauseMs, isWanted]);
}

/** An action that people start with a button: whether it is running, and why it last failed. */
export interface Action {
  readonly busy: Signal<boolean>;
  readonly error: Signal<unknown>;
  /** Runs it; a thrown error becomes the error. */
  readonly run: (act: () => unknown) => Promise<void>;
}

/** An action of a component. */
export function useAction(): Action {
  const busy = useSignal(false);
  const error = useSignal<unknown>(null);
  const run = async (act: () => unknown): Promise<void> => {
    busy.value = true;
    error.value = null;
    try {
      await act();
    } catch (reason) {
      error.value = reason;
    }
    busy.value = false;
  };
  return { busy, error, run };
}
