import { fileKindOf, HEAD_BYTES } from "@segmentation/masks";
import { type JobType, UploadContentType } from "../api/primitives.ts";

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
 * Returns the file extension of a content type: the usual one if there is one, else the subtype's name in the alphabet of taskIds
 * (`[a-z0-9][a-z0-9.-]{0,63}`).
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

/** Number of leading bytes of a file that `sniffMedia` needs. */
export const SNIFF_BYTES = HEAD_BYTES;

/** The media type of a file by its first bytes; `format` is the subtype. */
export interface SniffedMedia {
  readonly type: JobType;
  readonly format: string;
}

/** A stored upload: its size in bytes, its ETag, and its media type by its first bytes, or null. */
export interface StoredUpload {
  readonly size: number;
  /** Quoted, as in HTTP; different bytes have different ETags. */
  readonly etag: string;
  readonly media: SniffedMedia | null;
}

/** Detects picture or video, and its format, by a file's first bytes; null for neither. */
export function sniffMedia(head: Uint8Array): SniffedMedia | null {
  const { contentType = "" } = fileKindOf(head) ?? {};
  const type = jobTypeOf(contentType);
  return type && { type, format: contentType.slice(type.length + 1) };
}

/**
 * Returns the content type of a file by its first bytes, or else by the Content-Type header that its sender declared; null if
 * neither is a picture or a video. Ignores a declared format that the bytes would reveal; an ISO base media file (MP4, HEIC, …)
 * with unknown brands reveals none.
 */
export function contentTypeOf(head: Uint8Array, declared: string | null): string | null {
  const sniffed = sniffMedia(head);
  if (sniffed !== null) return `${sniffed.type}/${sniffed.format}`;
  const [named = ""] = (declared ?? "").split(";");
  const contentType = UploadContentType.safeParse(named.trim().toLowerCase()).data ?? "";
  const isIso = new TextDecoder("latin1").decode(head.subarray(4, 8)) === "ftyp";
  const isContradicted = !isIso && EXTENSIONS[contentType] !== undefined;
  return jobTypeOf(contentType) === null || isContradicted ? null : contentType;
}
