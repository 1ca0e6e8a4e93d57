import type { Connection } from "../http/connection.ts";
import type { RequestOptions } from "../options.ts";

/** How long the service may hold an answer back, in seconds; it allows 60, and proxies often less. */
const LONGEST_SECONDS = 25;

/** Asks for an answer that the service holds back until there is news, for half of the time that a request has. */
export function held({ timeoutMs }: Connection, signal: AbortSignal | undefined): RequestOptions {
  const seconds = Math.max(1, Math.min(LONGEST_SECONDS, Math.floor(timeoutMs / 2_000)));
  return { signal, headers: { prefer: `wait=${seconds}` }, timeoutMs: Math.max(timeoutMs, seconds * 2_000) };
}

/** Whether the service has done so: it tells, if it can. */
export const wasHeld = ({ headers }: Response): boolean => headers.has("preference-applied");
