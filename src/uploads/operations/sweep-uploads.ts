import { inputKey } from "../../shared/bucket/object-keys.ts";
import { CONNECTIONS, mapPool } from "../../shared/pool.ts";
import { log } from "../../shared/log.ts";
import { UNUSED_KEPT_MS, usedKeptMs } from "../rules/lifetime.ts";
import type { Platform } from "../../platform.ts";
import type { Media } from "../../shared/bucket/bucket.ts";
import type { OldUpload } from "../store/uploads.ts";

const PAGE = 5_000;
/**
 * Maximum of each kind. D1 takes a thousand statements from one run of a Worker, and the other parts of the sweep need theirs.
 */
const MOST_A_RUN = 200_000;

/**
 * Deletes uploads that no job has used in time, and all that are older than the retention; bytes first, so that the next sweep
 * can resume an interrupted one. Returns how many.
 * @param most maximum number of uploads of each kind in one run; the others wait for the next
 */
export async function sweepUploads(platform: Platform, now: number, most = MOST_A_RUN): Promise<number> {
  const unused = await sweepOlder(platform, now - UNUSED_KEPT_MS, true, most);
  const swept = await sweepOlder(platform, now - usedKeptMs(platform.policy), false, most);
  if (unused + swept > 0) log("info", "uploads_swept", { unused, swept });
  return unused + swept;
}

/** Each is a call of the bucket; a run of a Worker has at most a thousand. */
export const MOST_ABORTS = 500;

/** Aborts incomplete multipart uploads, and so deletes their parts. R2 aborts the excess itself after a week. */
export async function abortUnfinished(media: Media, uploads: readonly OldUpload[]): Promise<void> {
  const unfinished = uploads.filter(({ multipartId }) => multipartId).slice(0, MOST_ABORTS);
  await mapPool(unfinished, CONNECTIONS, ({ accountId, taskId, multipartId }) =>
    media.abortParts(inputKey(accountId, taskId), multipartId ?? ""),
  );
}

async function sweepOlder(
  { media, uploads }: Platform,
  before: number,
  unusedOnly: boolean,
  most: number,
): Promise<number> {
  let swept = 0;
  while (swept < most) {
    const page = await uploads.olderThan(before, Math.min(PAGE, most - swept), unusedOnly);
    if (page.length === 0) break;
    await abortUnfinished(media, page);
    await media.delete(page.map((upload) => inputKey(upload.accountId, upload.taskId)));
    await uploads.delete(page.map((upload) => upload.taskId));
    swept += page.length;
  }
  return swept;
}
