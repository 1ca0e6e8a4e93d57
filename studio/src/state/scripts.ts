import { isOnline } from "./online.ts";

type Load = () => Promise<unknown>;

/** Scripts that are fetched once the page is idle; null as soon as that has begun. */
let waiting: Load[] | null = [];

/** Has a script fetched while the page is idle. */
export function fetchLater(load: Load): void {
  if (waiting === null) whenIdle(load);
  else waiting.push(load);
}

/** Begins to fetch scripts ahead: for people who are signed in, so that a lost connection or a deployment takes nothing from an open page. */
export function fetchAhead(): void {
  waiting?.forEach(whenIdle);
  waiting = null;
}

function whenIdle(load: Load): void {
  const fetchNow = (): void => {
    if (isOnline.peek()) load().catch(() => {});
  };
  // Safari has no idle callbacks.
  if ("requestIdleCallback" in globalThis) requestIdleCallback(fetchNow);
  else setTimeout(fetchNow, 1_000);
}

/** Loads a script that is no component. @throws Error with a sentence if it can't be fetched */
export async function loadScript<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw new Error("A part of the studio could not be loaded. Reload the page; your work is kept.", {
      cause,
    });
  }
}
