import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { systemCode } from "../../failure.ts";
import type { LocalPath } from "./walk-folder.ts";

/** Replaces the digest of a file that cannot be read. */
export const UNREAD = "unread";

const WHY: ReadonlyMap<string | undefined, string> = new Map([
  ["ENOENT", "It no longer exists."],
  ["EACCES", "It cannot be read. Check its permissions."],
  ["EISDIR", "It is a folder."],
]);

/** The reason why a file cannot be read, as a sentence; undefined if the error has another cause. */
export const whyUnread = (error: unknown): string | undefined => WHY.get(systemCode(error));

/** The hexadecimal SHA-256 of bytes. */
export const digestOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** The hexadecimal SHA-256 of a file. Reads the file as a stream. */
export async function digestOfFile(path: LocalPath): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
