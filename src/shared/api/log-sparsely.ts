import { log, type Fields } from "../log.ts";
import type { Platform } from "../../platform.ts";

/**
 * Warns of an event that strangers can provoke with every request: once a minute for the same fields, with the number of `times`
 * since the last line. Logs the last occurrences only if it happens again.
 */
export function logSparsely(
  { logThrottle }: Platform,
  event: "rate_exceeded" | "webhook_refused",
  fields: Fields,
): void {
  const times = logThrottle.count(JSON.stringify([event, fields]), Date.now());
  if (times > 0) log("warn", event, { ...fields, times });
}
