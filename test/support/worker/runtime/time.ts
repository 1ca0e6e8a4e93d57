import { vi } from "vitest";

/** Sets the clock `ms` later. Alarms do not go off by themselves. */
export const later = (ms: number): void => {
  vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] });
};

/** Patience of a test for events that come by themselves: long enough for a busy machine. */
export const PATIENT = { timeout: 150_000 };
