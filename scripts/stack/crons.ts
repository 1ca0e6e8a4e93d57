import { messageOf } from "../shared/error-parts.ts";

const PERIOD_MS = 60_000;

async function fire(runtime: string, cron: string): Promise<void> {
  const address = new URL("/cdn-cgi/local/scheduled", runtime);
  address.searchParams.set("cron", cron);
  const response = await fetch(address);
  await response.body?.cancel();
  if (!response.ok) console.error(`The cron "${cron}" ended with ${response.status}.`);
}

/**
 * Fires the Worker's cron triggers, which a local runtime never does by itself: each once a minute, whatever its line
 * says, since nobody at a laptop wants to wait for the hour. `runtime` gives where the Worker is, or null while it is not.
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
