import { mostBytesOf } from "../rules/upload.ts";
import { FIRST_DATABASE } from "../../shared/storage/databases.ts";
import { log } from "../../shared/log.ts";
import { inputKey } from "../../shared/bucket/object-keys.ts";
import { BucketEvent, type StoredInput, storedInputOf } from "../rules/bucket-event.ts";
import { CONNECTIONS, mapPool } from "../../shared/pool.ts";
import type { Platform } from "../../platform.ts";
import { admissionTermsOf } from "../../feature-settings.ts";
import { dropTooLarge } from "./inspect-uploads.ts";

/** A message of the bucket, and the upload that it reports as stored, `at` epoch ms. */
interface StoredMessage<Message> {
  readonly message: Message;
  readonly stored: StoredInput;
  readonly at: number;
}

/**
 * Groups the messages about uploads by their accounts' databases, so that none waits for another's database; drops other
 * messages. A single database needs no directory.
 */
export async function storedByDatabase<Message extends { readonly body: unknown }>(
  { database: first, databases, directory, media }: Platform,
  messages: readonly Message[],
): Promise<Map<string, StoredMessage<Message>[]>> {
  const about = messages.flatMap((message) => {
    const { data: event } = BucketEvent.safeParse(message.body);
    const stored = event === undefined ? null : storedInputOf(event, media.bucketName);
    return event === undefined || stored === null
      ? []
      : [{ message, stored, at: Date.parse(event.eventTime) }];
  });
  if (about.length < messages.length)
    log("warn", "bucket_events_ignored", { ignored: messages.length - about.length });
  if (about.length === 0 || databases.length === 1) return new Map([[first, about]]);
  const places = await directory.databasesOf([...new Set(about.map(({ stored }) => stored.accountId))]);
  return Map.groupBy(about, ({ stored }) => places.get(stored.accountId) ?? FIRST_DATABASE);
}

/**
 * Records the bucket's messages in one database: the sizes of uploads, which add to their accounts' bytes of the day. Deletes
 * files that no job can take. It can be repeated; the inspection finds uploads whose messages got lost.
 */
export async function noteStoredUploads(
  books: Platform,
  messages: readonly StoredMessage<unknown>[],
  now: number,
): Promise<void> {
  if (messages.length === 0) return;
  const { media, uploads } = books;
  const terms = admissionTermsOf(books.settings);
  const stored = messages.map((each) => each.stored);
  const noted = await uploads.noteStored(stored, Math.min(terms.maxBytes.image, terms.maxBytes.video));
  await mapPool(noted, CONNECTIONS, async ({ accountId, isDeleted, size, ...upload }) => {
    const key = inputKey(accountId, upload.taskId);
    if (isDeleted) return media.delete([key]);
    if (size <= mostBytesOf(terms, upload.contentType)) return;
    // Another file may have replaced the one in the event.
    await dropTooLarge(books, accountId, upload, (await media.peek(key))?.size ?? 0);
  });
  const oldest = Math.min(...messages.map(({ at }) => at));
  log("info", "sizes_noted", { uploads: stored.length, lateMs: Math.max(0, now - oldest) });
}
