import { archiveProblem } from "./archive-problems.ts";
import * as delivery from "./delivery.ts";
import type { JobPolicy } from "./policy.ts";
import { jobStatus } from "./rollup.ts";
import type { ArchiveRecord, ArchiveUpload, JobState } from "./state.ts";
import type { Transition } from "./tasks.ts";

const withArchive = (state: JobState, archive: ArchiveRecord | null): JobState => ({ ...state, archive });

/**
 * The end of a builder's slice. `ready`: `upload` is the lease that began the archive's upload; without it the archive is under
 * the builder's own lease. `unfinished`: the next builder continues from the saved state. `retryable` is true if another attempt
 * may succeed.
 */
export type ArchiveOutcome =
  | { readonly outcome: "ready"; readonly upload?: number }
  | { readonly outcome: "unfinished" }
  | { readonly outcome: "failed"; readonly message: string; readonly retryable: boolean };

/** Drops the archive's saved progress, and marks its upload to be aborted. */
export function givenUp(state: JobState, archive: ArchiveRecord): JobState {
  const { kept: _, upload, ...rest } = archive;
  const after = withArchive(state, rest);
  return upload === undefined
    ? after
    : { ...after, abandonedUploads: [...(state.abandonedUploads ?? []), upload] };
}

/** Maximum number of archives that a job may begin, failed ones included: each reads all of its outputs again. */
export const MOST_ARCHIVES = 10;

/**
 * Starts an archive at the account's request, unless one is pending or ready. Fails at once for a job that has begun too many.
 * Taken only if the job ended in success.
 */
export function requestArchive(state: JobState, now: number): Transition {
  if (jobStatus(state.tasks) !== "success") return { state, taken: false };
  if (state.archive !== null && state.archive.step.at !== "failed") return { state, taken: true };
  const { archivesBegun = 0 } = state;
  const archive = delivery.newDelivery(now);
  if (archivesBegun >= MOST_ARCHIVES) {
    const step = { at: "failed", message: archiveProblem("archive_too_often") } as const;
    return { state: withArchive(state, { ...archive, step }), taken: true };
  }
  const begun = withArchive(state, { ...archive, requestedAt: now });
  return { state: { ...begun, archivesBegun: archivesBegun + 1 }, taken: true };
}

/**
 * Lets a consumer claim the archive to build it. Not taken if there is no request, another consumer is building it, it has ended,
 * or the job is being forgotten.
 */
export function claimArchive(state: JobState, policy: JobPolicy, now: number): Transition {
  const lease = state.lastLease + 1;
  const held = state.archive && delivery.claimed(state.archive, lease, policy, now);
  if (state.phase !== "running" || held === null) return { state, taken: false };
  const counted = { ...held, messages: (held.messages ?? 0) + 1 };
  return { state: { ...withArchive(state, counted), lastLease: lease }, taken: true };
}

/** An event by the archive's builder: taken only while its lease is in force. A job that is being forgotten has no builder. */
function byBuilder(state: JobState, lease: number, change: (archive: ArchiveRecord) => JobState): Transition {
  const { archive, phase } = state;
  if (phase !== "running" || archive === null || !delivery.isHeldBy(archive, lease))
    return { state, taken: false };
  return { state: change(archive), taken: true };
}

/** Extends the lease of a builder at work. */
export const extendArchive = (state: JobState, lease: number, policy: JobPolicy, now: number): Transition =>
  byBuilder(state, lease, (archive) => withArchive(state, delivery.extended(archive, lease, policy, now)));

/** The builder has begun the archive's upload. Not taken if the archive has one already. */
export const beginArchiveUpload = (state: JobState, lease: number, uploadId: string): Transition =>
  state.archive?.upload === undefined
    ? byBuilder(state, lease, (archive) => withArchive(state, { ...archive, upload: { lease, uploadId } }))
    : { state, taken: false };

/**
 * Saves a half-built archive of `files` files, and extends the builder's lease. More files than before count as progress, which
 * resets the attempts.
 */
export const keepArchive = (
  state: JobState,
  lease: number,
  files: number,
  policy: JobPolicy,
  now: number,
): Transition =>
  byBuilder(state, lease, (archive) => {
    const held = delivery.extended({ ...archive, kept: files }, lease, policy, now);
    return withArchive(state, files > (archive.kept ?? 0) ? delivery.advanced(held) : held);
  });

/**
 * Begins another attempt after a failure. When none is left, restarts the archive once: the saved progress may be the problem (an
 * upload that R2 no longer has, a part that a late builder overwrote). After that the archive has failed.
 */
function attemptFailed(state: JobState, archive: ArchiveRecord, policy: JobPolicy, now: number): JobState {
  const next = delivery.retried(archive, policy, now);
  if (next !== null) return withArchive(state, next);
  const hasProgress = archive.kept !== undefined || archive.upload !== undefined;
  if (hasProgress && archive.restarted === undefined) {
    return givenUp(state, { ...archive, ...delivery.newDelivery(now), restarted: true });
  }
  const step = { at: "failed", message: archiveProblem("archive_failed") } as const;
  return givenUp(state, { ...archive, step });
}

/** The builder reports the end of its slice; taken only while its lease is in force. */
export const completeArchive = (
  state: JobState,
  lease: number,
  outcome: ArchiveOutcome,
  policy: JobPolicy,
  now: number,
): Transition =>
  byBuilder(state, lease, (archive) => {
    if (outcome.outcome === "unfinished") return withArchive(state, delivery.passedOn(archive, now));
    if (outcome.outcome === "ready") {
      const { upload, ...rest } = archive;
      const isWritten = upload?.lease === outcome.upload;
      const step = {
        at: "ready",
        lease: outcome.upload ?? lease,
        expiresAt: now + policy.archiveTtlMs,
      } as const;
      return givenUp(state, { ...(isWritten ? rest : archive), step });
    }
    return outcome.retryable
      ? attemptFailed(state, archive, policy, now)
      : givenUp(state, { ...archive, step: { at: "failed", message: outcome.message } });
  });

/** An abandoned upload was aborted, or R2 no longer has it. */
export function abortedUpload(state: JobState, uploadId: string): JobState {
  const { abandonedUploads = [], ...rest } = state;
  const left = abandonedUploads.filter((upload) => upload.uploadId !== uploadId);
  return left.length === 0 ? rest : { ...rest, abandonedUploads: left };
}

/** Returns every upload of the job's archives in the bucket: the abandoned ones, and the current one. */
export const archiveUploads = ({ archive, abandonedUploads = [] }: JobState): readonly ArchiveUpload[] =>
  archive?.upload === undefined ? abandonedUploads : [...abandonedUploads, archive.upload];

/** Applies the effects of time to the archive: a builder's lease ends; a ready archive expires and is forgotten. */
export function tickArchive(state: JobState, policy: JobPolicy, now: number): JobState {
  const { archive } = state;
  if (archive === null) return state;
  if (delivery.isExpired(archive, now)) return attemptFailed(state, archive, policy, now);
  if (archive.step.at === "ready" && archive.step.expiresAt <= now) return withArchive(state, null);
  return state;
}

/** Returns the job with the archive's message marked as sent, and whether that message is due. */
export function takeDueArchive(
  state: JobState,
  policy: JobPolicy,
  now: number,
): { state: JobState; due: boolean } {
  const { archive } = state;
  if (archive === null || !delivery.isDue(archive, now)) return { state, due: false };
  return { state: withArchive(state, delivery.sent(archive, policy, now)), due: true };
}
