import type { CreateJobRequest } from "segmentation-client";

/** Request of a job, with the names of its uploads, that exported code repeats. */
export interface ExportedJob {
  readonly request: CreateJobRequest;
  /** The file's name, or the URL that it was imported from, by taskId. A task without a name is called by its taskId. */
  readonly sources: ReadonlyMap<string, string>;
  /** True if all options are known; of a job that was created elsewhere only its prompts are. */
  readonly isComplete: boolean;
}

/** Upload of an exported job, as code writes it. */
export interface ExportedUpload {
  readonly taskId: string;
  /** A file's name, or a URL of the web. */
  readonly source: string;
  readonly isUrl: boolean;
  /** Guessed from the name's extension, as most programs do; the service determines the type of a URL. */
  readonly contentType: string;
}

/** The content types of the extensions of pictures and videos. */
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  webp: "image/webp",
  gif: "image/gif",
  avif: "image/avif",
  heic: "image/heic",
  tif: "image/tiff",
  tiff: "image/tiff",
  bmp: "image/bmp",
  mp4: "video/mp4",
  mov: "video/quicktime",
  webm: "video/webm",
  avi: "video/x-msvideo",
  mkv: "video/x-matroska",
};

/** Returns the uploads of an exported job, in the order of its tasks. */
export const uploadsOf = ({ request, sources }: ExportedJob): ExportedUpload[] =>
  request.tasks.map((taskId) => {
    const source = sources.get(taskId) ?? taskId;
    const extension = source.split(".").pop()?.toLowerCase() ?? "";
    return {
      taskId,
      source,
      isUrl: /^https?:\/\//.test(source),
      contentType: CONTENT_TYPES[extension] ?? "application/octet-stream",
    };
  });

/** Tells whether a field says anything: it is not absent, off, or empty. */
const isSaid = ([, value]: [string, unknown]): boolean =>
  value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);

/** Returns the job's request without its tasks and the job that it adds to, which code has none of, and without fields that say nothing. */
export function optionsOf({ request }: ExportedJob): Readonly<Record<string, unknown>> {
  const { tasks: _, continues: _continues, ...fields } = request;
  return Object.fromEntries(Object.entries(fields).filter(isSaid));
}

/**
 * Returns the job's regions with something else in place of each taskId, made of its place among the tasks; null if there are no
 * regions.
 */
export function regionsOf({ request }: ExportedJob, insteadOf: (index: number) => object): object[] | null {
  const regions = request.regions ?? [];
  if (regions.length === 0) return null;
  return regions.map(({ taskId, ...where }) =>
    Object.assign(insteadOf(request.tasks.indexOf(taskId)), where),
  );
}
