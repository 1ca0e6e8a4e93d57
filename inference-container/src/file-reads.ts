import type { FileHandle } from "node:fs/promises";

/** The picture formats that the service reads. */
export type PictureFormat = "jpeg" | "png" | "webp" | "gif" | "avif";

/** What a file is by its first bytes (each format's own specification). */
export type Signature =
  | { readonly kind: "picture"; readonly format: PictureFormat }
  /** A picture format that the service doesn't read. */
  | { readonly kind: "unsupported"; readonly name: string }
  | { readonly kind: "video" }
  | { readonly kind: "unknown" };

/** How many leading bytes `readSignature` needs. */
export const SIGNATURE_BYTES = 1024;

const unsupported = (name: string): Signature => ({ kind: "unsupported", name });

/** Leading bytes, as Latin-1 text; `?` stands for any byte. */
const MAGIC: readonly (readonly [pattern: string, signature: Signature])[] = [
  ["\xff\xd8\xff", { kind: "picture", format: "jpeg" }],
  ["\x89PNG\r\n\x1a\n", { kind: "picture", format: "png" }],
  ["GIF87a", { kind: "picture", format: "gif" }],
  ["GIF89a", { kind: "picture", format: "gif" }],
  ["RIFF????WEBP", { kind: "picture", format: "webp" }],
  ["II*\0", unsupported("TIFF")],
  ["MM\0*", unsupported("TIFF")],
  ["II+\0", unsupported("TIFF")],
  ["MM\0+", unsupported("TIFF")],
  ["BM????\0\0\0\0", unsupported("BMP")],
  ["\0\0\0\x0cJXL ", unsupported("JPEG XL")],
  ["\xff\x0a", unsupported("JPEG XL")],
  ["\0\0\0\x0cjP  ", unsupported("JPEG 2000")],
  ["\xff\x4f\xff\x51", unsupported("JPEG 2000")],
  ["\0\0\x01\0?\0", unsupported("ICO")],
  ["8BPS", unsupported("Photoshop")],
  ["%PDF-", unsupported("PDF")],
  ["\x1a\x45\xdf\xa3", { kind: "video" }],
  ["RIFF????AVI ", { kind: "video" }],
  ["FLV\x01", { kind: "video" }],
  ["OggS", { kind: "video" }],
  ["\0\0\x01\xba", { kind: "video" }],
];

/** Detects a file's format from its first `SIGNATURE_BYTES` bytes. */
export function readSignature(head: Uint8Array): Signature {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString("latin1");
  if (text.startsWith("ftyp", 4)) return fromBrands(text);
  const known = MAGIC.find(([pattern]) => startsLike(text, pattern));
  if (known !== undefined) return known[1];
  return /^\W*<(svg|(\?xml|!--|!DOCTYPE)[^]*<svg|!DOCTYPE svg)/i.test(text)
    ? unsupported("SVG")
    : { kind: "unknown" };
}

/** Reads `length` bytes from a place in a file; zeros stand for bytes past its end. */
export async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  await file.read(buffer, 0, length, position);
  return buffer;
}

/** What the system reads at once. */
const PAGE_BYTES = 4_096;

/** Reads as `readAt` does, up to a page at once: small elements come by the thousand, and each would cost a read. */
export function pagedReader(file: FileHandle): (position: number, length: number) => Promise<Buffer> {
  let from = 0;
  let page: Buffer = Buffer.alloc(0);
  return async (position, length) => {
    if (position < from || position + length > from + page.length) {
      page = await readAt(file, position, PAGE_BYTES);
      from = position;
    }
    return page.subarray(position - from, position - from + length);
  };
}

/**
 * The outermost boxes of an ISO base media file (ISO/IEC 14496-12, 4.2), each with the place of its announced end: a box has a
 * 32-bit size (1: a 64-bit one follows the type, 0: to the end of the file) and a type. Ends with the first that is none.
 */
export async function* boxesOf(
  file: FileHandle,
  size: number,
): AsyncGenerator<{ readonly type: string; readonly end: number }> {
  const read = pagedReader(file);
  for (let at = 0; at + 8 <= size;) {
    const head = await read(at, 16);
    const short = head.readUInt32BE(0);
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
    const isLast = length < 8;
    at = isLast ? size : at + length;
    yield { type: head.toString("latin1", 4, 8), end: at };
  }
}

/** Whether Latin-1 text begins with a pattern, in which `?` stands for any byte. */
export function startsLike(text: string, pattern: string): boolean {
  if (text.length < pattern.length) return false;
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] !== "?" && pattern[i] !== text[i]) return false;
  }
  return true;
}

/** ISO base media files (ISO/IEC 14496-12): the `ftyp` box lists a major brand, a version, and compatible brands. */
function fromBrands(text: string): Signature {
  const size = Math.min(Buffer.from(text.slice(0, 4), "latin1").readUInt32BE(0), text.length);
  const brands = new Set([text.slice(8, 12)]);
  for (let at = 16; at + 4 <= size; at += 4) brands.add(text.slice(at, at + 4));
  if (brands.has("avif") || brands.has("avis")) return { kind: "picture", format: "avif" };
  const heic = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"];
  if (heic.some((brand) => brands.has(brand))) return unsupported("HEIC");
  return { kind: "video" };
}
