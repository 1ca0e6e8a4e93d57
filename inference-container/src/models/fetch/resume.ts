/** Downloads a file, and resumes where an earlier run stopped. */
import type { Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { whileBytesCome } from "./while-bytes-come.ts";
import { writeHashed } from "./write-hashed.ts";

/** A file as it has to be. */
export interface WholeFile {
  /** In bytes. */
  readonly size: number;
  /** Starts the hash of its digest. */
  readonly hash: () => Hash;
  readonly digest: string;
  readonly encoding: "base64" | "hex";
}

/** Asks for a file from byte `start` on: the answer has the status 200 for the whole file or 206 for the rest. */
export type Open = (start: number, signal: AbortSignal) => Promise<Response>;

/**
 * Fetches the rest of the file at `path`.
 * @param onProgress is called with the number of bytes that are there
 * @returns true if the file is then complete and correct
 * @throws any error of `open`, or of the connection; what came stays for the next call
 */
export async function complete(
  path: string,
  wanted: WholeFile,
  open: Open,
  onProgress: (bytes: number) => void,
): Promise<boolean> {
  const part = { size: await sizeOf(path), hash: wanted.hash() };
  if (part.size > wanted.size) return false;
  if (part.size > 0) for await (const chunk of createReadStream(path)) part.hash.update(chunk);
  onProgress(part.size);
  if (part.size < wanted.size)
    await whileBytesCome(
      (signal, onBytes) => fetchRest(path, wanted, part, open, signal, onBytes),
      (count) => {
        part.size += count;
        if (part.size > wanted.size) throw new RangeError("The answer is longer than the file.");
        onProgress(part.size);
      },
    ).catch((error: unknown) => {
      if (part.size <= wanted.size) throw error;
    });
  return part.size === wanted.size && part.hash.digest(wanted.encoding) === wanted.digest;
}

/** Writes the bytes after those that are there, or all if the server sends all. */
async function fetchRest(
  path: string,
  { size, hash }: WholeFile,
  part: { size: number; hash: Hash },
  open: Open,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): Promise<void> {
  const answer = await open(part.size, signal);
  const isRest = answer.status === 206;
  if (!isRest) Object.assign(part, { size: 0, hash: hash() });
  await writeHashed(answer.body ?? Readable.from([]), path, part.hash, {
    flags: isRest ? "a" : "w",
    onBytes,
  });
  if (part.size < size) throw new Error("the answer ended early");
}

/** The size of a file; 0 if there is none. */
export async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => ({ size: 0 }))).size;
}
