import { hexOf } from "@segmentation/masks";

/** Returns the SHA-256 of bytes, or of a string in UTF-8, in lowercase hex. */
export async function sha256Hex(of: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof of === "string" ? new TextEncoder().encode(of) : of;
  return hexOf(await crypto.subtle.digest("SHA-256", bytes));
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** SHA-256 (hex) of a body's JSON with each object's names sorted, so that equal bodies have equal fingerprints. */
export async function fingerprintOf(body: unknown): Promise<string> {
  const canonical = JSON.stringify(body ?? null, (_name, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return sha256Hex(canonical);
}
