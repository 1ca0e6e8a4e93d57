import type { JobType } from "../../contract/primitives.ts";
import { UploadContentType } from "../../contract/upload.ts";

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
 * The file extension of a content type: the usual one if there is one, else the subtype's own name in the alphabet of
 * taskIds (`[a-z0-9][a-z0-9.-]{0,63}`).
 */
export function extensionOf(contentType: string): string {
  const known = EXTENSIONS[contentType.toLowerCase()];
  if (known !== undefined) return known;
  const subtype = contentType.slice(contentType.indexOf("/") + 1).toLowerCase();
  const name = subtype.replaceAll(/[^a-z0-9.-]/g, "-").replace(/^[.-]+/, "");
  return name.slice(0, 64) || "bin";
}

/** The job type that an upload with this content type fits, or null if that depends on its bytes. */
export function jobTypeOf(contentType: string): JobType | null {
  const major = contentType.slice(0, contentType.indexOf("/")).toLowerCase();
  return major === "image" || major === "video" ? major : null;
}

/** How many leading bytes of a file `sniffMedia` needs. */
export const SNIFF_BYTES = 64;

/** The media type of a file by its first bytes; `format` is the subtype. */
export interface SniffedMedia {
  readonly type: JobType;
  readonly format: string;
}

const ISO_IMAGES: readonly (readonly [format: string, brands: readonly string[]])[] = [
  ["avif", ["avif", "avis"]],
  ["heic", ["heic", "heix", "hevc", "heim", "heis", "hevm", "hevs", "mif1", "msf1"]],
];

const PICTURES: readonly (readonly [magic: string, format: string])[] = [
  ["\x89PNG\r\n\x1a\n", "png"],
  ["\xff\xd8\xff", "jpeg"],
  ["GIF87a", "gif"],
  ["GIF89a", "gif"],
  ["BM", "bmp"],
  ["II*\0", "tiff"],
  ["MM\0*", "tiff"],
];

/** RFC 8794, 11.2.8: the element DocType with its usual one byte of length, in the header of an EBML file. */
const WEBM_DOC_TYPE = "\x42\x82\x84webm";

const picture = (format: string): SniffedMedia => ({ type: "image", format });
const video = (format: string): SniffedMedia => ({ type: "video", format });

/**
 * Picture or video, and its format, by the magic bytes at a file's start; null if they belong to neither.
 * The major brand of the `ftyp` box distinguishes ISO media files (MP4, QuickTime, AVIF, HEIC).
 */
export function sniffMedia(head: Uint8Array): SniffedMedia | null {
  const has = (offset: number, text: string): boolean =>
    text.length + offset <= head.length &&
    head.subarray(offset, offset + text.length).every((byte, i) => byte === text.charCodeAt(i));

  if (has(4, "ftyp")) {
    const image = ISO_IMAGES.find(([, brands]) => brands.some((brand) => has(8, brand)));
    if (image !== undefined) return picture(image[0]);
    return video(has(8, "qt  ") ? "quicktime" : "mp4");
  }
  if (["moov", "mdat", "wide", "free"].some((box) => has(4, box))) return video("quicktime");
  if (has(0, "RIFF")) {
    if (has(8, "WEBP")) return picture("webp");
    return has(8, "AVI ") ? video("x-msvideo") : null;
  }
  if (has(0, "\x1a\x45\xdf\xa3")) {
    const isWebM = head.some((_, offset) => has(offset, WEBM_DOC_TYPE));
    return video(isWebM ? "webm" : "x-matroska");
  }
  const known = PICTURES.find(([magic]) => has(0, magic));
  return known === undefined ? null : picture(known[1]);
}

/**
 * The content type of a file by its first bytes, or else by the Content-Type header that its sender declared; null if
 * neither says that it is a picture or a video. A format that its bytes would reveal is not taken from the header.
 */
export function contentTypeOf(head: Uint8Array, declared: string | null): string | null {
  const sniffed = sniffMedia(head);
  if (sniffed !== null) return `${sniffed.type}/${sniffed.format}`;
  const [named = ""] = (declared ?? "").split(";");
  const contentType = UploadContentType.safeParse(named.trim().toLowerCase()).data ?? "";
  const isContradicted = EXTENSIONS[contentType] !== undefined;
  return jobTypeOf(contentType) === null || isContradicted ? null : contentType;
}
