import { askFor } from "../api/api.ts";
import { SegmentationError } from "../errors.ts";
import type { Connection } from "../http/connection.ts";
import type { CallOptions } from "../options.ts";
import type { JobAnnotations, SavedAnnotations } from "../schemas.ts";
import type { FoundPictures } from "./annotated-coco.ts";
import { JobFiles } from "./files.ts";
import { loadPictures } from "./load.ts";

/** A document of annotations, and the version on which it is based. */
export type AnnotationsToSave = Pick<JobAnnotations, "version" | "document">;

/** Fetches a job's annotations. @throws SegmentationError */
export async function annotationsOf(
  connection: Connection,
  jobId: string,
  options: CallOptions,
): Promise<JobAnnotations> {
  return (await askFor(connection, "retrieveJobAnnotations", { jobId }, options)).data;
}

/** Replaces a job's annotations. @throws SegmentationError */
export async function saveAnnotations(
  connection: Connection,
  jobId: string,
  { version, document }: AnnotationsToSave,
  options: CallOptions,
): Promise<SavedAnnotations> {
  const given = { ...options, headers: { ...options.headers, "if-match": `"${version}"` } };
  return (await askFor(connection, "replaceJobAnnotations", { jobId, document }, given)).data;
}

/** Fetches the pictures of the further jobs that annotations name. Skips jobs without a result. @throws SegmentationError */
export async function loadSearches(
  connection: Connection,
  searches: readonly string[],
  options: CallOptions,
): Promise<FoundPictures[]> {
  const found: FoundPictures[] = [];
  for (const jobId of searches) {
    try {
      const [files, { manifest }] = await JobFiles.open(connection, jobId, options);
      if (manifest.type !== "image") continue;
      const tasks = manifest.items.map(({ taskId }) => ({ taskId, status: "success" as const, error: null }));
      const pictures = await loadPictures(files, manifest, tasks, new Map(), options.signal);
      found.push({ jobId, pictures });
    } catch (error) {
      const code = error instanceof SegmentationError && error.code;
      if (code !== "job_not_found" && code !== "job_not_ready") throw error;
    }
  }
  return found;
}
