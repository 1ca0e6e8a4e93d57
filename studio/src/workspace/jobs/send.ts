import { type CreateJobRequest, mapParallel, SegmentationError } from "segmentation-client";
import { config } from "../../state/config.ts";
import { saveOriginal } from "../saved/originals.ts";
import type { Owner } from "../service/owner.ts";
import { onceOnline } from "../service/once-online.ts";
import { type Picture, taskIdOf } from "../rules/picture.ts";
import type { Going, Workspace } from "../workspace.ts";

/** Number of parallel uploads. */
const PARALLEL = 4;
/** The service has four minutes to fetch a file. */
const IMPORT_MS = 300_000;

/** Has the service fetch a file from an address. @throws SegmentationError */
async function fetchThere(
  { api }: Owner,
  address: URL,
  signal: AbortSignal,
): Promise<{ taskId: string; isVideo: boolean }> {
  try {
    const { taskId, contentType } = await api.importUpload(
      { url: address.href },
      { timeoutMs: IMPORT_MS, signal },
    );
    return { taskId, isVideo: contentType.startsWith("video/") };
  } catch (error) {
    if (error instanceof SegmentationError && error.code === "not_found")
      throw new Error("This service doesn’t fetch files from URLs. Save the file and drop it here.", {
        cause: error,
      });
    throw error;
  }
}

/** Refuses a picture that has too many pixels, before it is sent. The service judges files that the browser can't show. */
async function checkPixels(file: Blob): Promise<void> {
  const image = new Image();
  image.src = URL.createObjectURL(file);
  try {
    await new Promise((resolve) => ["load", "error"].forEach((end) => image.addEventListener(end, resolve)));
  } finally {
    URL.revokeObjectURL(image.src);
  }
  const { naturalWidth: width, naturalHeight: height } = image;
  const most = config.peek().maxImagePixels;
  if (width * height > most)
    throw new Error(
      `It has ${width} × ${height} pixels; the limit is ${most / 1e6} megapixels. Choose a smaller version.`,
    );
}

async function sendOne(workspace: Workspace, { key, file, address, name }: Picture): Promise<void> {
  const { owner } = workspace;
  const { signal } = workspace.runner;
  workspace.sent(key, { at: "sending", bytes: 0 });
  try {
    if (file !== null) {
      if (workspace.type.peek() === "image") await checkPixels(file);
      const onProgress = (bytes: number): void => workspace.sent(key, { at: "sending", bytes });
      const taskId = await onceOnline(async () => await owner.client.upload(file, { onProgress, signal }));
      await saveOriginal(owner.accountId, taskId, { name, file });
      workspace.sent(key, { at: "sent", taskId });
    } else if (address !== null) {
      const { taskId, isVideo } = await onceOnline(async () => await fetchThere(owner, address, signal));
      if (isVideo && workspace.pictures.value.length === 1) workspace.type.value = "video";
      workspace.sent(key, { at: "sent", taskId });
    }
  } catch (error) {
    workspace.sent(key, { at: "failed", error });
  }
}

/** Uploads a picture, unless it is uploaded or uploading. Returns its taskId, or null if that failed: the picture has the reason. */
export async function send(workspace: Workspace, key: string): Promise<string | null> {
  const picture = workspace.picture(key);
  if (picture === undefined) return null;
  if (taskIdOf(picture) === null) await workspace.runner.uploads.do(key, () => sendOne(workspace, picture));
  const now = workspace.picture(key);
  return now === undefined ? null : taskIdOf(now);
}

/** Sends all pictures; gives their taskIds, or null if one could not be sent. */
export async function sendAll(workspace: Workspace): Promise<string[] | null> {
  const keys = workspace.pictures.value.map(({ key }) => key);
  await mapParallel(keys, PARALLEL, undefined, (key) => send(workspace, key));
  const taskIds = workspace.pictures.value.map(taskIdOf);
  return taskIds.includes(null) ? null : taskIds.filter((taskId) => taskId !== null);
}

interface Creation {
  /** With the same key it is the same job. */
  readonly key: string;
  readonly report: (going: Going) => void;
  readonly signal: AbortSignal;
  /** True if it is still wanted, asked before each request. */
  readonly isWanted?: () => boolean;
}

/** A job that was created, and the one to which it adds; null if it adds to none. */
interface Created {
  readonly jobId: string;
  readonly continues: string | null;
}

/** Why a job can't add to another one: that was deleted, or has other uploads. */
const STANDS_ALONE: ReadonlySet<string> = new Set(["job_not_found", "task_not_continued"]);

/**
 * Creates a job; null if it is no longer wanted. While another job of the account is in the way, or the service can't take it, it
 * waits and reports so. If its first job is gone, it adds to none.
 * @throws SegmentationError, or the signal's reason
 */
export async function create(
  owner: Owner,
  asked: CreateJobRequest,
  { key: idempotencyKey, report, signal, isWanted = () => true }: Creation,
): Promise<Created | null> {
  let request = asked;
  const onRetry = (why: SegmentationError): void => report({ at: "waiting", why });
  while (isWanted()) {
    try {
      const options = { idempotencyKey, onRetry, signal };
      const body = request;
      const { jobId } = await onceOnline(async () => await owner.api.createJob(body, options));
      return { jobId, continues: body.continues ?? null };
    } catch (error) {
      if (!(error instanceof SegmentationError)) throw error;
      const { continues, ...alone } = request;
      if (continues !== undefined && STANDS_ALONE.has(error.code)) request = alone;
      else if (error.code === "active_job_exists" && error.activeJobId !== undefined) {
        report({ at: "blocked", jobId: error.activeJobId });
        await owner.client.waitForJob(error.activeJobId, { signal });
      } else throw error;
    }
  }
  return null;
}
