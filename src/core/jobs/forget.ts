import { archiveUploads, givenUp } from "./archive.ts";
import { lateWritesMs, type JobPolicy } from "./policy.ts";
import { isDone, type JobState } from "./state.ts";
import { cancelTasks } from "./tasks.ts";

/**
 * A job that is to be forgotten: past its retention, deleted by its account, or with an account that is erased. What is under
 * way is cancelled first. What was accepted has expired, and what it used stays settled; what never was is withdrawn.
 */
export function forgotten(state: JobState, now: number): JobState {
  if (state.phase === "prepared") return { ...state, phase: "withdrawn" };
  if (state.phase !== "running") return state;
  const { state: ended } = cancelTasks(state, now);
  const alone = ended.archive === null ? ended : givenUp(ended, ended.archive);
  return { ...alone, phase: "expired" };
}

/**
 * Whether something may still be written into the bucket for a job that is being forgotten: by a holder whose lease has ended
 * and whose URLs are still good, or by an archive's builder that has not noticed. Nobody gets a new lease or URL any more.
 */
export function hasLateWriters(state: JobState, policy: JobPolicy, now: number): boolean {
  const { lastLease, tasks, archive, updatedAt } = state;
  if (lastLease === 0) return false;
  const isQuiet = tasks.every(isDone) && archive === null && archiveUploads(state).length === 0;
  return !isQuiet || now < updatedAt + lateWritesMs(policy);
}
