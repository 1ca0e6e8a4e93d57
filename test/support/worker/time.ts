import { vi } from "vitest";

/** Sets the clock `ms` later. Alarms do not go off by themselves. */
export const later = (ms: number): void => {
  vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] });
};
