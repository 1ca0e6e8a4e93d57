import type { Connection } from "../http/connection.ts";
import type { RequestOptions } from "../options.ts";

/** How long the service may hold an answer back, in seconds; it allows 60, and proxies often less. */
const HELD_SECONDS = 25;

/** Asks for an answer that the service holds back until there is news. */
export const held = ({ timeoutMs }: Connection, signal: AbortSignal | undefined): RequestOptions => ({
  signal,
  headers: { prefer: `wait=${HELD_SECONDS}` },
  timeoutMs: timeoutMs + HELD_SECONDS * 1_000,
});

/** Whether the service has done so: it tells, if it can. */
export const wasHeld = ({ headers }: Response): boolean => headers.has("preference-applied");
