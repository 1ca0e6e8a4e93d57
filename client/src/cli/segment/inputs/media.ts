import { type FileKind, READABLE_PICTURES } from "@segmentation/masks";

/** Extensions of pictures, including types that the service does not read but recognizes. */
const PICTURES =
  /\.(?:jpe?g|jpe|jf?if|pjp|pjpeg|a?png|webp|avifs?|gif|bmp|dib|tiff?|hei[cf]s?|hif|jxl|jp2|j2k|jpf|jpx)$/i;
const CLIPS = /\.(?:mp4|m4v|mov|webm|mkv|avi)$/i;

export type Kind = "picture" | "clip";

/** A file's type by its name; undefined if the name does not show it. */
export function kindOf(name: string): Kind | undefined {
  if (PICTURES.test(name)) return "picture";
  return CLIPS.test(name) ? "clip" : undefined;
}

/**
 * The reason not to send a file of this kind as a picture: a code, a colon and a sentence. Undefined if the service may
 * read it.
 */
export function unreadable(kind: FileKind | undefined): string | undefined {
  if (kind === undefined || kind.contentType.startsWith("video/")) return undefined;
  if (READABLE_PICTURES.has(kind.contentType)) return undefined;
  return `image_format_unsupported: The file is ${kind.name}, which the service does not support. Convert it to JPEG, for example with: magick FILE photo.jpg`;
}
