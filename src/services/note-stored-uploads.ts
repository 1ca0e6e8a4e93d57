import { mostBytesOf } from "../core/jobs/admission.ts";
import { FIRST_DATABASE } from "../core/databases.ts";
import { log } from "../core/log.ts";
import { inputKey } from "../core/object-keys.ts";
import { BucketEvent, type StoredInput, storedInputOf } from "../core/uploads/bucket-event.ts";
import { CONNECTIONS, mapPool } from "../core/lib/pool.ts";
import type { Platform } from "../platform.ts";
import { admissionTermsOf } from "../settings.ts";
import { dropTooLarge } from "./inspect-uploads.ts";

/**
 * Records what the bucket's event notifications report: the sizes of uploads, which add to their accounts' bytes of the day;
 * and deletes what no job can take. It can be repeated; what gets lost is found by the inspection.
 * @param messages bodies of the queue's messages; what is not about an upload is ignored
 */
export async function noteStoredUploads(
  platform: Platform,
  messages: readonly unknown[],
  now: number,
): Promise<void> {
  const { media } = platform;
  const events = messages.flatMap((message) => BucketEvent.safeParse(message).data ?? []);
  const stored = events.flatMap((event) => storedInputOf(event, media.bucketName) ?? []);
  if (stored.length < messages.length) {
    log("warn", "bucket_events_ignored", { ignored: messages.length - stored.length });
  }
  if (stored.length === 0) return;
  const byDatabase = await inTheirDatabases(platform, stored);
  await Promise.all([...byDatabase].map(([database, inputs]) => note(platform.at(database), inputs)));
  const oldest = Math.min(...events.map(({ eventTime }) => Date.parse(eventTime)));
  log("info", "sizes_noted", { uploads: stored.length, lateMs: Math.max(0, now - oldest) });
}

/** The uploads by where their accounts' books are. One database is all there is, and needs no directory. */
async function inTheirDatabases(
  { database: first, databases, directory }: Platform,
  stored: readonly StoredInput[],
): Promise<Map<string, StoredInput[]>> {
  if (databases.length === 1) return new Map([[first, [...stored]]]);
  const places = await directory.databasesOf([...new Set(stored.map(({ accountId }) => accountId))]);
  return Map.groupBy(stored, ({ accountId }) => places.get(accountId) ?? FIRST_DATABASE);
}

/** Records the sizes of uploads in one database. */
async function note(books: Platform, stored: readonly StoredInput[]): Promise<void> {
  const { media, uploads } = books;
  const terms = admissionTermsOf(books.settings);
  const noted = await uploads.noteStored(stored, Math.min(terms.maxBytes.image, terms.maxBytes.video));
  await mapPool(noted, CONNECTIONS, async ({ accountId, isDeleted, size, ...upload }) => {
    const key = inputKey(accountId, upload.taskId);
    if (isDeleted) return media.delete([key]);
    if (size <= mostBytesOf(terms, upload.contentType)) return;
    // Another file may have replaced the one that the event is about.
    await dropTooLarge(books, accountId, upload, (await media.peek(key))?.size ?? 0);
  });
}
