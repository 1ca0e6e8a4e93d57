import { setTimeout as sleep } from "node:timers/promises";
import { LeftOut, Wrong } from "./row.ts";
import type { World } from "./world.ts";

const LOST_MS = 90_000;

/** The answer of the operator's API. @throws LeftOut if it cannot be asked */
export async function probe(
  { operator, signal }: World,
  what: "databases" | "alarm" | "protocol",
): Promise<unknown> {
  if ("reason" in operator) throw new LeftOut(operator.reason);
  const answer = await Promise.race([
    operator.call("POST", `/probe/${what}`, {}),
    sleep(LOST_MS, null, { signal }),
  ]);
  if (answer === null) throw new Wrong(`nothing came back within ${LOST_MS / 1_000} seconds`);
  return answer;
}
