import { messageOf } from "../shared/error-parts.ts";

const PERIOD_MS = 60_000;

async function fire(runtime: string, cron: string): Promise<void> {
  const address = new URL("/cdn-cgi/local/scheduled", runtime);
  address.searchParams.set("cron", cron);
  const response = await fetch(address);
  await response.body?.cancel();
  if (!response.ok) console.error(`The cron "${cron}" ended with status ${response.status}.`);
}

/**
 * Fires the Worker's cron triggers, because a local runtime does not. Each fires once a minute, whatever its schedule,
 * because nobody at a laptop wants to wait for an hour. `runtime` returns the Worker's URL, or null while it is not up.
 */
export function fireCrons(crons: readonly string[], runtime: () => string | null): void {
  setInterval(() => {
    const address = runtime();
    if (address === null) return;
    for (const cron of crons) {
      fire(address, cron).catch((error: unknown) =>
        console.error(`The cron "${cron}" failed: ${messageOf(error)}`),
      );
    }
  }, PERIOD_MS);
}
