/** Downloads a file of a hub into a folder, and resumes an earlier run. */
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { DownloadError } from "../../../inference-container/src/models/errors.ts";
import { whileBytesCome } from "../../../inference-container/src/models/fetch/while-bytes-come.ts";
import { writeHashed } from "../../../inference-container/src/models/fetch/write-hashed.ts";
import type { HubFile } from "../../../inference-container/src/models/manifest.ts";
import { type Hub, Interruption, type ListedFile } from "./hub.ts";

/** Pauses before each further attempt; an attempt that received bytes starts them over. */
const PAUSES_MS = [500, 2_000, 5_000];

/** A file to download: its name in the folder, and its entry in the hub's list. */
export interface Download extends ListedFile {
  readonly name: string;
  readonly source: HubFile;
}

/**
 * Downloads the whole, verified file into `folder`, without the bytes that are already there.
 * @param onProgress called with the number of bytes so far
 * @throws DownloadError that names the problem; the next run continues with the received bytes
 */
export async function downloadFile(
  hub: Hub,
  file: Download,
  folder: string,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const path = join(folder, file.name);
  let failures = 0;
  for (;;) {
    const before = await sizeOf(path);
    try {
      if (await complete(hub, file, path, onProgress)) return;
      await rm(path, { force: true });
      // The earlier bytes may be of another commit, or damaged: tries once more, from the beginning.
      if (before === 0) throw new DownloadError(wrong(file));
    } catch (error) {
      if (!(error instanceof Interruption)) throw error;
      if ((await sizeOf(path)) > before) failures = 0;
      const pause = PAUSES_MS[failures];
      if (pause === undefined) throw error;
      failures += 1;
      await sleep(pause);
    }
  }
}

/**
 * Fetches the missing rest of a file.
 * @returns true if the file is then the listed one
 */
async function complete(
  hub: Hub,
  file: Download,
  path: string,
  onProgress: (bytes: number) => void,
): Promise<boolean> {
  const part = { size: await sizeOf(path), hash: hashFor(file) };
  if (part.size > file.size) return false;
  if (part.size > 0) for await (const chunk of createReadStream(path)) part.hash.update(chunk);
  onProgress(part.size);
  if (part.size < file.size)
    await whileBytesCome(
      (signal, onBytes) => fetchRest(hub, file, path, part, signal, onBytes),
      (count) => {
        part.size += count;
        if (part.size > file.size) throw new RangeError("The answer is longer than the hub lists.");
        onProgress(part.size);
      },
    ).catch((error: unknown) => {
      if (part.size <= file.size)
        throw error instanceof DownloadError ? error : hub.failure(file.source, error);
    });
  return part.size === file.size && part.hash.digest("hex") === file.digest.hex;
}

/** Appends the remaining bytes, or writes all of them if the hub sends all. */
async function fetchRest(
  hub: Hub,
  { size, digest, source }: Download,
  path: string,
  part: { size: number; hash: Hash },
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<void> {
  const answer = await hub.open(source, part.size, signal);
  const isRest = answer.status === 206;
  if (!isRest) Object.assign(part, { size: 0, hash: hashFor({ size, digest }) });
  await writeHashed(answer.body ?? Readable.from([]), path, part.hash, {
    flags: isRest ? "a" : "w",
    onBytes,
  });
  if (part.size < size) throw new Error("the answer ended early");
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => ({ size: 0 }))).size;
}

/** Returns a hash of the kind that the hub lists; git's begins with the length. */
function hashFor({ size, digest }: ListedFile): Hash {
  return digest.kind === "sha256" ? createHash("sha256") : createHash("sha1").update(`blob ${size}\0`);
}

function wrong({ source }: Download): string {
  return `What came as ${source.path} of ${source.repository} has another digest than the hub lists, and was deleted. Run the command again, or choose another hub by HF_ENDPOINT.`;
}
