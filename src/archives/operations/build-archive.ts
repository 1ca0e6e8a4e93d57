import { planArchive } from "../rules/plan.ts";
import { archiveProblem } from "../../jobs/rules/archive-problems.ts";
import type { ArchiveClaim } from "../../jobs/rules/answers.ts";
import type { ArchiveOutcome } from "../../jobs/rules/archive.ts";
import { log, reasonOf } from "../../shared/log.ts";
import { archiveKey } from "../../shared/bucket/object-keys.ts";
import { MAX_ZIP_BYTES, MAX_ZIP_ENTRIES } from "../rules/zip-records.ts";
import type { Platform } from "../../platform.ts";
import { ArchiveSlice, ImpossibleArchive, LeaseLost } from "./archive-slice.ts";

/** Memory of a slice in the isolate: 8 MiB of a part, 12 of files read ahead, 8 that it resumes with, and all names. */
export const ARCHIVE_MIB = 32;

/**
 * Builds a job's archive, as far as one message may, if it still has to be built: claims it, streams it into the bucket, and
 * reports the end of the slice. An archive of more than `maxBytes` fails with a specific error.
 */
export async function buildArchive(
  platform: Platform,
  jobId: string,
  maxBytes = MAX_ZIP_BYTES,
): Promise<void> {
  const jobObject = platform.jobObject(jobId);
  const claim = await jobObject.claimArchive();
  if (claim === null) return;
  const { lease } = claim;
  let outcome: ArchiveOutcome;
  try {
    outcome = await buildSlice(platform, claim, maxBytes);
  } catch (error) {
    if (error instanceof LeaseLost) return;
    log("error", "archive_failed", { jobId, lease, reason: reasonOf(error) });
    outcome =
      error instanceof ImpossibleArchive
        ? { outcome: "failed", message: error.message, retryable: false }
        : { outcome: "failed", message: "", retryable: true };
  }
  const isTaken = await jobObject.completeArchive(lease, outcome);
  // The JobObject decides about an upload: another builder may have resumed it.
  if (isTaken || outcome.outcome !== "ready" || outcome.upload !== undefined) return;
  await platform.media.delete([archiveKey(claim.job.definition.accountId, jobId, lease)]);
}

async function buildSlice(
  platform: Platform,
  claim: ArchiveClaim,
  maxBytes: number,
): Promise<ArchiveOutcome> {
  const { job, lease, messages } = claim;
  const { jobId } = job.definition;
  const plan = await planArchive(job);
  if (plan.names.length > MAX_ZIP_ENTRIES) {
    throw new ImpossibleArchive(archiveProblem("archive_too_many_files", { limit: MAX_ZIP_ENTRIES }));
  }
  const begun = Date.now();
  const slice = new ArchiveSlice(platform, claim, plan, maxBytes);
  const isWhole = await slice.work();
  const done = { jobId, lease, files: slice.files, messages, ms: Date.now() - begun };
  if (!isWhole) {
    log("info", "archive_unfinished", { ...done, of: plan.names.length });
    return { outcome: "unfinished" };
  }
  log("info", "archive_built", { ...done, size: slice.size });
  return { outcome: "ready", ...(slice.uploadLease !== null && { upload: slice.uploadLease }) };
}
