/** Extensions of pictures, including types that the service does not read, so that none is skipped silently. */
const PICTURES = /\.(?:jpe?g|jfif|png|webp|avif|gif|bmp|tiff?|heic|heif|jxl)$/i;
const CLIPS = /\.(?:mp4|m4v|mov|webm|mkv|avi)$/i;

export type Kind = "picture" | "clip";

/** A file's type by its name; undefined if the name does not show it. */
export function kindOf(name: string): Kind | undefined {
  if (PICTURES.test(name)) return "picture";
  return CLIPS.test(name) ? "clip" : undefined;
}

/** Types of pictures that the service does not read, with what to do about each. */
const UNREADABLE: ReadonlyMap<string, string> = new Map([["image/heic", "HEIC"]]);

/** Why a picture of this type need not be sent: a code, a colon and a sentence. Undefined if it may be read. */
export function unreadable(contentType: string): string | undefined {
  const name = UNREADABLE.get(contentType);
  if (name === undefined) return undefined;
  return `image_format_unsupported: The file is ${name}, which the service does not support. Convert it to JPEG, for example with: magick photo.heic photo.jpg`;
}
