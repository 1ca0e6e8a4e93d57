import type { Context } from "hono";
import { waitSeconds } from "../core/jobs/waiters.ts";
import type { AppEnv } from "./context.ts";

/**
 * Asks with as much patience as the client has by its header Prefer (RFC 7240); null if it wants the answer at once. If it had any,
 * the answer's header says that it was applied.
 */
export async function askPreferred<T>(
  c: Context<AppEnv>,
  ask: (waitSeconds: number | null) => Promise<T>,
): Promise<T> {
  const seconds = waitSeconds(c.req.header("prefer"));
  const begun = Date.now();
  const answer = await ask(seconds);
  if (seconds !== null) {
    c.header("preference-applied", `wait=${seconds}`);
    c.set("heldMs", Date.now() - begun);
  }
  return answer;
}
