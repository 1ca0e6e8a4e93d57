import { vi } from "vitest";

/** Sets the clock `ms` later. Alarms do not go off by themselves. */
export const later = (ms: number): void => {
  vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] });
};

/** How long a test waits for what comes by itself: long enough for a machine that is busy with other work. */
export const PATIENT = { timeout: 150_000 };
