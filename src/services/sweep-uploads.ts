import { inputKey } from "../core/object-keys.ts";
import { log } from "../core/log.ts";
import type { Platform } from "../platform.ts";

const PAGE = 500;

/** Deletes uploads that are older than the retention, bytes first: the next sweep goes on where this one is cut off. */
export async function sweepUploads(platform: Platform, now: number): Promise<number> {
  const before = now - platform.policy.retentionMs;
  let swept = 0;
  for (;;) {
    const page = await platform.uploads.olderThan(before, PAGE);
    if (page.length === 0) break;
    await platform.media.delete(page.map((upload) => inputKey(upload.accountId, upload.taskId)));
    await platform.uploads.delete(page.map((upload) => upload.taskId));
    swept += page.length;
  }
  if (swept > 0) log("info", "uploads_swept", { swept });
  return swept;
}
