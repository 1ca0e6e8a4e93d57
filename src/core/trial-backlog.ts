/** What one task of the trial queue takes, when nothing else is asked of the inference service. */
const SECONDS_PER_TASK = 1;
const MOST_SECONDS = 600;

/**
 * After how many seconds (a whole number, at least 1) it is worth trying again when `backlog` tasks wait where `limit`
 * may: the time that the tasks above the limit take, at one a second, and ten minutes at most.
 */
export const secondsUntilRoom = (backlog: number, limit: number): number =>
  Math.min(MOST_SECONDS, Math.max(1, Math.ceil((backlog - limit) * SECONDS_PER_TASK)));
