import { vi } from "vitest";

/** Lets the clock be `ms` later; alarms do not go off by themselves. */
export const later = (ms: number): void => {
  vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] });
};
