import { log, reasonOf } from "../core/log.ts";

/** Runs each part by itself, one after another: one that fails is logged as `event`, and the others run all the same. */
export async function runParts(
  event: string,
  parts: Readonly<Record<string, () => Promise<unknown>>>,
): Promise<void> {
  for (const [part, run] of Object.entries(parts)) {
    try {
      await run();
    } catch (error) {
      log("error", event, { part, reason: reasonOf(error) });
    }
  }
}
