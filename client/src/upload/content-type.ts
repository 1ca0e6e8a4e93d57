/** The first bytes of the files that the service takes. */
const SIGNATURES: readonly (readonly [signature: RegExp, type: string])[] = [
  [/^\x89PNG/, "image/png"],
  [/^\xff\xd8\xff/, "image/jpeg"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
  [/^GIF8/, "image/gif"],
  [/^.{4}ftypavi[fs]/s, "image/avif"],
  [/^.{4}ftyp(?:hei|mif|msf)/s, "image/heic"],
  [/^(?:II\*\0|MM\0\*)/, "image/tiff"],
  [/^BM/, "image/bmp"],
  [/^.{4}ftypqt/s, "video/quicktime"],
  [/^.{4}ftyp/s, "video/mp4"],
  [/^.E\xdf\xa3/s, "video/webm"],
  [/^RIFF.{4}AVI /s, "video/x-msvideo"],
];

/** How many bytes the signatures look at. */
const LENGTH = 12;

/** A file's MIME type: what it says, or what its first bytes say; `application/octet-stream` if neither is known. */
export async function contentTypeOf(file: Blob): Promise<string> {
  if (/^(?:image|video)\/[^\s;]+$/.test(file.type)) return file.type;
  const start = String.fromCharCode(...new Uint8Array(await file.slice(0, LENGTH).arrayBuffer()));
  return SIGNATURES.find(([signature]) => signature.test(start))?.[1] ?? "application/octet-stream";
}
