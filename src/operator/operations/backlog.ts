import { ServiceError } from "../../shared/errors.ts";
import { askEach } from "../../shared/storage/database-failure.ts";
import type { Backlog } from "../contract/operator.ts";
import type { Platform } from "../../platform.ts";

/**
 * Returns the work for an autoscaler. Wakes no job and asks no inference service.
 * @throws ServiceError database_unavailable if a database does not answer: with a part of the work alone, machines would be stopped
 */
export async function backlog(platform: Platform, now: number): Promise<Backlog> {
  const { databases, policy, queues } = platform;
  const [{ answers, away }, interactive, bulk, trial] = await Promise.all([
    askEach(platform, databases, ({ gauges }) => gauges.runnable(policy.window)),
    queues.backlog("interactive", now),
    queues.backlog("bulk", now),
    queues.backlog("trial", now),
  ]);
  if (away.length > 0)
    throw new ServiceError("database_unavailable", `These databases do not answer: ${away.join(", ")}.`);
  return {
    runnable: answers.reduce((sum, { answer }) => sum + answer, 0),
    lanes: { interactive, bulk, trial },
  };
}
