import { useEffect, useRef } from "preact/hooks";
import { isOnline } from "./online.ts";
import { isExpired } from "./session.ts";

/**
 * Calls `ask` again and again, `pauseMs` after the end of the call before, while `isWanted` and somebody looks. Failures are
 * passed over: what the screen has stays, and the next call may succeed.
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
