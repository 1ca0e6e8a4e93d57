import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { hasCode } from "../errors.ts";
import { taskFailure, TaskFailure } from "../failures.ts";
import { backoffMs, bounded, discard, isTransient, pause, transferMs, within } from "../http-client.ts";

const ATTEMPTS = 3;

/** An input in storage. */
export interface StoredInput {
  /** Signed. */
  readonly url: string;
  /** The ETag that its bytes must have; undefined if any will do. */
  readonly etag: string | undefined;
  /** The most bytes to read. */
  readonly limit: number;
}

/**
 * Streams the input from its signed URL into a file; follows no redirect. Returns the SHA-256 of the bytes, in hex, and
 * their count.
 *
 * @throws TaskFailure named input_not_found, input_changed, input_too_large, input_redirected, input_forbidden or
 * input_unavailable
 */
export async function fetchInput(
  input: StoredInput,
  path: string,
  signal: AbortSignal,
): Promise<{ contentHash: string; size: number }> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await download(input, path, within(transferMs(input.limit), signal));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TaskFailure) throw error;
      if (hasCode(error, "ENOSPC")) throw error;
      if (attempt === ATTEMPTS) {
        throw taskFailure("input_unavailable");
      }
      await pause(backoffMs(attempt), signal);
    }
  }
}

async function download(
  { url, etag, limit }: StoredInput,
  path: string,
  signal: AbortSignal,
): Promise<{ contentHash: string; size: number }> {
  const headers = etag === undefined ? undefined : { "if-match": etag };
  const response = await fetch(url, { redirect: "manual", signal, ...(headers && { headers }) });
  const { status } = response;
  if (!response.ok) {
    await discard(response);
    if (isTransient(status)) throw new Error(`Storage answered with status ${status}.`);
    throw failureOf(status);
  }
  // Storage that ignores If-Match still sends the ETag of its bytes.
  if (etag !== undefined && response.headers.get("etag") !== etag) {
    await discard(response);
    throw taskFailure("input_changed");
  }
  const hash = createHash("sha256");
  const file = createWriteStream(path);
  const measured = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of bounded(response, limit, () => tooLarge(limit))) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(measured, file, { signal });
  return { contentHash: hash.digest("hex"), size: file.bytesWritten };
}

function failureOf(status: number): TaskFailure {
  if (status === 404 || status === 410) return taskFailure("input_not_found");
  if (status === 412) return taskFailure("input_changed");
  return taskFailure(status >= 300 && status < 400 ? "input_redirected" : "input_forbidden");
}

function tooLarge(limit: number): TaskFailure {
  return taskFailure("input_too_large", { limit: (limit / 1_000_000).toFixed(limit < 10_000_000 ? 2 : 0) });
}
