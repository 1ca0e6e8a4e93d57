import type { Rig } from "./running-service.ts";

/** Asks for the service's liveness all the time, and records the answers. */
export function watchHealth(rig: Rig): { statuses: number[]; stop: () => Promise<void> } {
  const statuses: number[] = [];
  const stopped = new AbortController();
  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      statuses.push((await fetch(`${rig.service.url}/healthz`)).status);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  const watched = watch();
  return {
    statuses,
    stop: () => {
      stopped.abort();
      return watched;
    },
  };
}
