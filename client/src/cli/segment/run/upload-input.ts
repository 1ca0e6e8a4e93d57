import { openAsBlob } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { SegmentationError } from "../../../errors.ts";
import type { SegmentationClient } from "../../../node/client.ts";
import { kindOfFile } from "../../../upload/input.ts";
import { digestOf, digestOfFile, UNREAD, whyUnread } from "../inputs/digest.ts";
import { isLocal } from "../inputs/find-inputs.ts";
import { unreadable } from "../inputs/media.ts";
import type { Pending } from "../inputs/survey.ts";
import type { Reading } from "../journal/entries.ts";
import type { Journal } from "../journal/journal.ts";

/** The time for which a file may be used in a job after its upload, with an hour to spare. */
const USABLE_MS = 23 * 3_600_000;

/** A file and its reading, ready to be sent. */
interface Opened {
  readonly reading: Reading;
  readonly input: Blob | string | URL;
  readonly problem?: string | undefined;
}

/** The result of an upload: a task, or the reason why the file cannot be one. */
export type Sent =
  | { readonly reading: Reading; readonly taskId: string }
  | { readonly reading: Reading; readonly problem: string };

/** Uploads a file, unless the journal says that the service already has these bytes. The journal gets the digest of the bytes sent. */
export async function uploadInput(
  client: SegmentationClient,
  journal: Journal,
  pending: Pending,
  signal: AbortSignal,
): Promise<Sent> {
  const { reading, input, problem } = await open(pending);
  journal.append({ entry: "read", ...reading });
  if (problem !== undefined) return { reading, problem };
  const { id, digest } = reading;
  const before = journal.state.uploads.get(id);
  if (before?.digest === digest && Date.now() - before.at < USABLE_MS)
    return { reading, taskId: before.taskId };
  const at = Date.now();
  try {
    const taskId = await client.upload(input, { signal });
    journal.append({ entry: "uploaded", id, digest, taskId, at });
    return { reading, taskId };
  } catch (error) {
    if (!(error instanceof SegmentationError) || !OF_THE_FILE.has(error.code)) throw error;
    return { reading, problem: `${error.code}: ${error.message}` };
  }
}

/** Errors that concern one file and not the whole run. */
const OF_THE_FILE = new Set<string>([
  "upload_too_large",
  "import_failed",
  "import_type_unsupported",
  "unsupported_content_type",
  "invalid_input",
]);

async function open({ id, name, from, kind }: Pending): Promise<Opened> {
  if (!isLocal(from))
    return { reading: { id, name, size: 0, mtimeMs: 0, digest: from.version }, input: await from.url() };
  try {
    // Read before the bytes: the next run detects any later change.
    const { size, mtimeMs } = await stat(from);
    if (kind === "clip") {
      const reading = { id, name, size, mtimeMs, digest: await digestOfFile(from) };
      return { reading, input: typeof from === "string" ? from : await openAsBlob(from) };
    }
    const bytes = new Uint8Array(await readFile(from));
    const input = new Blob([bytes]);
    const reading = { id, name, size, mtimeMs, digest: digestOf(bytes) };
    const problem = size === 0 ? "image_empty: The file is empty." : unreadable(await kindOfFile(input));
    return { reading, input, problem };
  } catch (error) {
    const why = whyUnread(error);
    if (why === undefined) throw error;
    const reading = { id, name, size: 0, mtimeMs: 0, digest: UNREAD };
    return { reading, input: new Blob([]), problem: `invalid_input: ${why}` };
  }
}
