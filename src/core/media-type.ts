import type { JobType } from "../contract/primitives.ts";

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "image/gif": "gif",
  "image/avif": "avif",
  "image/heic": "heic",
  "image/tiff": "tiff",
  "image/bmp": "bmp",
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/webm": "webm",
  "video/x-matroska": "mkv",
  "video/x-msvideo": "avi",
  "application/octet-stream": "bin",
};

/**
 * The file extension of a content type: the usual one where there is one, else the subtype's own name in the
 * alphabet of taskIds (`[a-z0-9][a-z0-9.-]{0,63}`).
 */
export function extensionOf(contentType: string): string {
  const known = EXTENSIONS[contentType.toLowerCase()];
  if (known !== undefined) return known;
  const subtype = contentType.slice(contentType.indexOf("/") + 1).toLowerCase();
  const name = subtype.replaceAll(/[^a-z0-9.-]/g, "-").replace(/^[.-]+/, "");
  return name.slice(0, 64) || "bin";
}

/** The job type that an upload of this content type fits, or null where only its bytes can tell. */
export function jobTypeOf(contentType: string): JobType | null {
  const major = contentType.slice(0, contentType.indexOf("/")).toLowerCase();
  return major === "image" || major === "video" ? major : null;
}

/** How many leading bytes of a file `sniffJobType` wants to see. */
export const SNIFF_BYTES = 64;

const IMAGE_BRANDS = ["avif", "avis", "heic", "heix", "hevc", "heim", "heis", "hevm", "hevs", "mif1", "msf1"];

const startsWith = (bytes: Uint8Array, offset: number, text: string): boolean =>
  text.length + offset <= bytes.length &&
  bytes.subarray(offset, offset + text.length).every((byte, i) => byte === text.charCodeAt(i));

/**
 * Picture or video by the magic bytes at a file's start; null where they are of neither.
 * ISO media files (MP4, QuickTime, AVIF, HEIC) are told apart by the major brand of their `ftyp` box.
 */
export function sniffJobType(head: Uint8Array): JobType | null {
  if (startsWith(head, 4, "ftyp")) {
    return IMAGE_BRANDS.some((brand) => startsWith(head, 8, brand)) ? "image" : "video";
  }
  if (["moov", "mdat", "wide", "free"].some((box) => startsWith(head, 4, box))) return "video";
  if (startsWith(head, 0, "RIFF")) {
    if (startsWith(head, 8, "WEBP")) return "image";
    return startsWith(head, 8, "AVI ") ? "video" : null;
  }
  if (startsWith(head, 0, "\x1a\x45\xdf\xa3")) return "video";
  const pictures = ["\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF87a", "GIF89a", "BM", "II*\0", "MM\0*"];
  return pictures.some((magic) => startsWith(head, 0, magic)) ? "image" : null;
}
