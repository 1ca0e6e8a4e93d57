import { vi } from "vitest";

/** Sets the clock `ms` later. Alarms do not go off by themselves. */
export const later = (ms: number): void => {
  vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] });
};

/** Awaits an answer that comes after a second of the clock that `later` has stopped. */
export async function asTimePasses<T>(answer: Promise<T>): Promise<T> {
  const timer = setInterval(() => later(1_000), 500);
  try {
    return await answer;
  } finally {
    clearInterval(timer);
  }
}

/** Patience of a test for events that come by themselves: long enough for a busy machine. */
export const PATIENT = { timeout: 150_000 };
