import { isDone, type JobState } from "./state.ts";

/**
 * What the list and the ledger say of a job: it is `listed`; it was `withdrawn` on purpose, which the ledger's void entry
 * tells; it was accepted and is `settled` without a row, because it was deleted or is past its retention; or it is `missing`:
 * never listed, or lost, as by a restore of an older database.
 */
export type Standing = "listed" | "withdrawn" | "settled" | "missing";

/** How often an accepted job that the list has lost is pushed again, and told of. */
const UNLISTED_RETRY_MS = 4 * 3_600_000;

/** When the projection is due, epoch milliseconds; null while the list has it. */
export function pushDueAt(state: JobState): number | null {
  if (state.projected >= state.version) return null;
  return state.unlistedAt === null ? state.updatedAt : state.unlistedAt + UNLISTED_RETRY_MS;
}

/**
 * Whether the list has confirmed the job's end, and so its settlement: one that is not there now was lost. What the list
 * confirmed of a job under way was no settlement.
 */
export const isEndConfirmed = (state: JobState): boolean =>
  state.tasks.every(isDone) && state.projected >= state.version;

/**
 * The job after a push of its projection `version`. A job that was withdrawn on purpose, while this object could not be
 * reached, goes. An accepted job that is missing stays with all it has: a list that lost it must not cost its outputs.
 */
export function pushed(state: JobState, version: number, standing: Standing, now: number): JobState {
  switch (standing) {
    case "listed":
      return { ...state, projected: version, unlistedAt: null };
    case "withdrawn":
      return { ...state, phase: "withdrawn" };
    case "settled":
    case "missing":
      // A job that is being forgotten is struck from the list on purpose.
      return state.phase === "running" ? { ...state, unlistedAt: now } : state;
  }
}

/** What becomes of a job that was written down and never heard of its acceptance: only what is listed was accepted. */
export const decided = (state: JobState, standing: Standing): JobState => ({
  ...state,
  phase: standing === "listed" ? "running" : "withdrawn",
});
