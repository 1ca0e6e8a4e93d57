import { archiveProblem } from "../core/archive-problems.ts";
import { assetsOf, manifestOf, type Asset } from "../core/manifest.ts";
import type { FinishedJob } from "../core/job/answers.ts";
import type { ArchiveOutcome } from "../core/job/archive.ts";
import { log, reasonOf } from "../core/log.ts";
import { archiveKey } from "../core/object-keys.ts";
import { MAX_ZIP_BYTES, MAX_ZIP_ENTRIES, ZipWriter } from "../core/zip-writer.ts";
import { PartsWriter } from "../stores/parts-writer.ts";
import type { Platform } from "../platform.ts";

const MANIFEST_NAME = "output_manifest.json";
/** Heartbeats per lease, if the chunks arrive in time. */
const HEARTBEATS = 6;

/** An archive that can't be built, however often it is tried. */
class ImpossibleArchive extends Error {
  override readonly name = "ImpossibleArchive";
}

/** The builder's lease was taken away: another builds the archive. */
class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/**
 * Builds a job's archive if that is still to be done: claims it, streams it into the bucket, reports the end.
 * An archive of more than `maxBytes` fails with an error of its own.
 */
export async function buildArchive(
  platform: Platform,
  jobId: string,
  maxBytes = MAX_ZIP_BYTES,
): Promise<void> {
  const jobObject = platform.jobObject(jobId);
  const claim = await jobObject.claimArchive();
  if (claim === null) return;
  const { job, lease } = claim;
  let outcome: ArchiveOutcome;
  try {
    const stillHeld = async () => {
      if (!(await jobObject.extendArchive(lease))) throw new LeaseLost();
    };
    const size = await writeArchive(platform, job, lease, maxBytes, stillHeld);
    log("info", "archive_built", { jobId, lease, size });
    outcome = { outcome: "ready" };
  } catch (error) {
    if (error instanceof LeaseLost) return;
    log("error", "archive_failed", { jobId, lease, reason: reasonOf(error) });
    outcome =
      error instanceof ImpossibleArchive
        ? { outcome: "failed", message: error.message, retryable: false }
        : { outcome: "failed", message: "", retryable: true };
  }
  if (await jobObject.completeArchive(lease, outcome)) return;
  const { accountId } = job.definition;
  await platform.media.delete([archiveKey(accountId, jobId, lease)]);
}

async function writeArchive(
  platform: Platform,
  job: FinishedJob,
  lease: number,
  maxBytes: number,
  stillHeld: () => Promise<void>,
): Promise<number> {
  const { accountId, jobId, createdAt } = job.definition;
  const assets = assetsOf(job);
  if (assets.length + 1 > MAX_ZIP_ENTRIES) {
    throw new ImpossibleArchive(archiveProblem("archive_too_many_files", { limit: MAX_ZIP_ENTRIES }));
  }
  const writer = new PartsWriter(platform.media, archiveKey(accountId, jobId, lease), {
    contentType: "application/zip",
    contentDisposition: `attachment; filename="${jobId}.zip"`,
  });
  const zip = new ZipWriter((piece) => writer.push(piece), createdAt);
  let heldAt = Date.now();
  const drain = async () => {
    if (writer.size > maxBytes) {
      throw new ImpossibleArchive(archiveProblem("archive_too_large"));
    }
    const written = await writer.drain();
    if (written === 0 && Date.now() - heldAt < platform.policy.leaseMs / HEARTBEATS) return;
    await stillHeld();
    heldAt = Date.now();
  };
  try {
    const manifest = new TextEncoder().encode(
      JSON.stringify(
        manifestOf(job, (key) => key),
        null,
        2,
      ),
    );
    zip.entry(MANIFEST_NAME)(manifest, true);
    for (const asset of assets) await addAsset(platform, zip, asset, drain);
    zip.end();
    await drain();
    await stillHeld();
    await writer.finish();
    return writer.size;
  } catch (error) {
    await writer.abort().catch((failure: unknown) => {
      log("warn", "archive_abort_failed", { jobId, lease, reason: reasonOf(failure) });
    });
    throw error;
  }
}

async function addAsset(
  platform: Platform,
  zip: ZipWriter,
  { key, objectKey }: Asset,
  drain: () => Promise<void>,
): Promise<void> {
  const body = await platform.media.read(objectKey);
  if (body === null) {
    throw new ImpossibleArchive(archiveProblem("archive_output_missing", { key }));
  }
  const add = zip.entry(key);
  for await (const chunk of body) {
    add(chunk, false);
    await drain();
  }
  add(new Uint8Array(), true);
  await drain();
}
