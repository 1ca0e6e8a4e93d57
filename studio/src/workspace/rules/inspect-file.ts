import { fileKindOf, HEAD_BYTES, READABLE_PICTURES } from "@segmentation/masks";
import { bytesIn } from "../../text/format.ts";

/** Largest files that the service takes, in bytes. */
export interface FileLimits {
  readonly maxImageBytes: number;
  readonly maxVideoBytes: number;
}

/** A file that a person gave: picture, video, or of a kind that only the service may know. */
export interface Inspected {
  readonly given: Given;
  readonly kind: WorkspaceType | "unknown";
}

/** Input from a person: a file, or a URL. */
export type Given = File | URL;

/** Type of a workspace's jobs. */
export type WorkspaceType = "image" | "video";

/** The file extensions of videos in URLs. */
const CLIP_ADDRESS = /\.(?:mp4|m4v|mov|webm|mkv|avi)$/i;
const READABLE_CLIPS: ReadonlySet<string> = new Set([
  "video/mp4",
  "video/quicktime",
  "video/webm",
  "video/x-matroska",
  "video/x-msvideo",
]);

const PICTURES = "JPEG, PNG, WebP, GIF or AVIF";
const CLIPS = "MP4, MOV, WebM, MKV or AVI";
const TO_JPEG =
  "To get a JPEG, export it in Preview on a Mac, or in Photos on Windows. An iPhone takes JPEGs with Settings › Camera › Formats › Most Compatible.";

/** Detects a file's kind by its first bytes. Returns a sentence instead if the service can't take it. */
export async function inspect(given: Given, limits: FileLimits): Promise<Inspected | string> {
  if (given instanceof URL) return { given, kind: CLIP_ADDRESS.test(given.pathname) ? "video" : "unknown" };
  const { name, size, type } = given;
  if (size === 0) return `${name}: the file is empty.`;
  const head = await given
    .slice(0, HEAD_BYTES)
    .arrayBuffer()
    .catch(() => null);
  if (head === null) return `${name}: the file can’t be read.`;
  const found = fileKindOf(new Uint8Array(head));
  const contentType = found?.contentType ?? type;
  const [kind] = contentType.split("/");
  if (kind !== "image" && kind !== "video")
    return found === undefined && (type === "" || type === "application/octet-stream")
      ? { given, kind: "unknown" }
      : `${name}: file not supported. Choose a ${PICTURES} picture, or a ${CLIPS} video.`;
  // A video's container may be of an unlisted brand.
  const isReadable =
    kind === "image"
      ? READABLE_PICTURES.has(contentType)
      : found === undefined || READABLE_CLIPS.has(contentType);
  const format = found?.name ?? contentType.slice(kind.length + 1);
  if (kind === "image" && found === undefined)
    return `${name}: the file is not a picture that the service reads. Choose a ${PICTURES} picture.`;
  if (!isReadable)
    return `${name}: ${format} files are not supported. ${/^image\/hei[cf]$/.test(contentType) ? TO_JPEG : `Convert it to ${kind === "image" ? PICTURES : CLIPS}.`}`;
  const most = kind === "image" ? limits.maxImageBytes : limits.maxVideoBytes;
  if (size > most)
    return `${name} has ${bytesIn(size)}; a ${kind === "image" ? "picture" : "video"} may have at most ${bytesIn(most)}. Choose a smaller one.`;
  return { given, kind };
}
