import {
  claimArchive,
  completeArchive,
  requestArchive,
  takeDueArchive,
  type ArchiveOutcome,
} from "../../../../src/jobs/rules/archive.ts";
import { policy } from "../../../support/job-policy.ts";
import type { ArchiveRecord, JobState } from "../../../../src/jobs/rules/state.ts";
import { BEGIN, successfulJob } from "../../../support/a-job.ts";

export const READY: ArchiveOutcome = { outcome: "ready" };
export const CRASHED: ArchiveOutcome = { outcome: "failed", message: "not for the account", retryable: true };
export const TOO_LARGE: ArchiveOutcome = {
  outcome: "failed",
  message: "archive_too_large: More than 4 GiB.",
  retryable: false,
};

export const requested = (): JobState => requestArchive(successfulJob(), BEGIN).state;
export const queued = (): JobState => takeDueArchive(requested(), policy, BEGIN).state;
export const building = (state = queued(), now = BEGIN): JobState => claimArchive(state, policy, now).state;
export const built = (outcome: ArchiveOutcome, state = building(), now = BEGIN): JobState =>
  completeArchive(state, state.lastLease, outcome, policy, now).state;

export function archiveOf({ archive }: JobState): ArchiveRecord {
  if (archive === null) throw new Error("the archive is lost");
  return archive;
}

export const STAGES: Record<string, () => JobState> = {
  requested,
  "in the queue": queued,
  "being built": () => building(),
  ready: () => built(READY),
  failed: () => built(TOO_LARGE),
};
export const stages = (...names: readonly string[]) =>
  Object.entries(STAGES).filter(([name]) => names.includes(name));
