import { archiveProblem } from "../archive-problems.ts";
import * as delivery from "./delivery.ts";
import type { JobPolicy } from "./policy.ts";
import { jobStatus } from "./rollup.ts";
import type { ArchiveRecord, JobState } from "./state.ts";
import type { Transition } from "./tasks.ts";

const withArchive = (state: JobState, archive: ArchiveRecord | null): JobState => ({ ...state, archive });

/** How a build ended. `retryable` is true if another attempt may succeed. */
export type ArchiveOutcome =
  | { readonly outcome: "ready" }
  | { readonly outcome: "failed"; readonly message: string; readonly retryable: boolean };

/**
 * The account asks for an archive: this starts one unless one is under way or ready.
 * Taken only if the job ended in success.
 */
export function requestArchive(state: JobState, now: number): Transition {
  if (jobStatus(state.tasks) !== "success") return { state, taken: false };
  const reusable = state.archive !== null && state.archive.step.at !== "failed";
  return { state: reusable ? state : withArchive(state, delivery.newDelivery(now)), taken: true };
}

/** A consumer claims the archive to build it. Not taken if nobody asked for it, another builds it, or it has ended. */
export function claimArchive(state: JobState, policy: JobPolicy, now: number): Transition {
  const lease = state.lastLease + 1;
  const held = state.archive && delivery.claimed(state.archive, lease, policy, now);
  return held === null
    ? { state, taken: false }
    : { state: { ...withArchive(state, held), lastLease: lease }, taken: true };
}

function byBuilder(
  state: JobState,
  lease: number,
  change: (archive: ArchiveRecord) => ArchiveRecord,
): Transition {
  const { archive } = state;
  if (archive === null || !delivery.isHeldBy(archive, lease)) return { state, taken: false };
  return { state: withArchive(state, change(archive)), taken: true };
}

/** The builder is at work: its lease is extended. */
export const extendArchive = (state: JobState, lease: number, policy: JobPolicy, now: number): Transition =>
  byBuilder(state, lease, (archive) => delivery.extended(archive, lease, policy, now));

/** A failed build: another one follows, or the archive has failed. */
const attemptFailed = (archive: ArchiveRecord, policy: JobPolicy, now: number): ArchiveRecord =>
  delivery.retried(archive, policy, now) ?? {
    ...archive,
    step: { at: "failed", message: archiveProblem("archive_failed") },
  };

/** The builder reports the end; taken only while its lease is in force. */
export const completeArchive = (
  state: JobState,
  lease: number,
  outcome: ArchiveOutcome,
  policy: JobPolicy,
  now: number,
): Transition =>
  byBuilder(state, lease, (archive) => {
    if (outcome.outcome === "ready") {
      return { ...archive, step: { at: "ready", lease, expiresAt: now + policy.archiveTtlMs } };
    }
    return outcome.retryable
      ? attemptFailed(archive, policy, now)
      : { ...archive, step: { at: "failed", message: outcome.message } };
  });

/** What time does to the archive: a builder's lease ends; a ready archive expires and is forgotten. */
export function tickArchive(state: JobState, policy: JobPolicy, now: number): JobState {
  const { archive } = state;
  if (archive === null) return state;
  if (delivery.isExpired(archive, now)) {
    return withArchive(state, attemptFailed(archive, policy, now));
  }
  if (archive.step.at === "ready" && archive.step.expiresAt <= now) return withArchive(state, null);
  return state;
}

/** Whether a message for the archive is due, and the job with that message marked as sent. */
export function takeDueArchive(
  state: JobState,
  policy: JobPolicy,
  now: number,
): { state: JobState; due: boolean } {
  const { archive } = state;
  if (archive === null || !delivery.isDue(archive, now)) return { state, due: false };
  return { state: withArchive(state, delivery.sent(archive, policy, now)), due: true };
}

/** The archive's message could not be sent: it waits for `delayMs`. */
export const unsendArchive = (state: JobState, delayMs: number, now: number): JobState =>
  state.archive?.step.at === "sent"
    ? withArchive(state, delivery.unsent(state.archive, delayMs, now))
    : state;
