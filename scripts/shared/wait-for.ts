import { setTimeout as sleep } from "node:timers/promises";

const PAUSE_MS = 150;
const ANSWER_MS = 2_000;

async function answersOk(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

/** Polls a URL until it answers 2xx (true) or `patienceMs` have passed (false). Rejects with the signal's reason if aborted. */
export async function waitForOk(
  url: string,
  patienceMs: number,
  signal: AbortSignal,
  pauseMs = PAUSE_MS,
): Promise<boolean> {
  const giveUpAt = Date.now() + patienceMs;
  while (!(await answersOk(url, signal))) {
    if (Date.now() >= giveUpAt) return false;
    // The timer would reject with another error than the signal's reason.
    await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
  return true;
}
