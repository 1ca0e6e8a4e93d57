const MIB = 1024 ** 2;

/** Above R2's smallest size of a part, and small enough for a Worker's memory and for a client to send again. */
export const PART_BYTES = 8 * MIB;
/** S3 allows 10,000. Each takes a signed URL of some 500 bytes in an answer. */
const MOST_PARTS = 1_000;

/**
 * Returns the sizes of a file's parts, in bytes: all but the last are the same, as R2 demands.
 * @param size of the file, at least 1
 */
export function partSizesOf(size: number): number[] {
  const each = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS / MIB) * MIB);
  return Array.from({ length: Math.ceil(size / each) }, (_, i) => Math.min(each, size - i * each));
}

/** Validity of the parts' URLs. No part can be written once the upload is complete or deleted. */
export const PARTS_SECONDS = 3_600;
