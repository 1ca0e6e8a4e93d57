import { askFor } from "../api/api.ts";
import type { Connection } from "../http/connection.ts";
import { sleep } from "../http/retry.ts";
import type { CallOptions } from "../options.ts";
import type { ArchiveDownload } from "../schemas.ts";
import { held, problemError, wasHeld } from "./watch.ts";

/** An archive that is ready for download. */
export type ReadyArchive = ArchiveDownload & { readonly downloadUrl: string };

/** Asks for a job's archive and waits until it is ready. @throws SegmentationError with the archive's problem if it fails */
export async function waitForArchive(
  connection: Connection,
  jobId: string,
  options: CallOptions,
): Promise<ReadyArchive> {
  let { data: archive } = await askFor(connection, "createJobDownload", { jobId }, options);
  for (;;) {
    const { status, downloadUrl, error, retryAfterSeconds } = archive;
    if (status === "ready" && downloadUrl !== null) return { ...archive, downloadUrl };
    if (status === "failed") throw problemError(error, jobId);
    const answer = await askFor(connection, "retrieveJobDownload", { jobId }, held(connection, options));
    archive = answer.data;
    if (!wasHeld(answer.response) && archive.status !== "ready")
      await sleep((retryAfterSeconds ?? 2) * 1_000, options.signal);
  }
}
