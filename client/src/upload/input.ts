/** A picture or a clip: a File or Blob, its bytes, or the URL where it is. */
export type Input = Blob | Uint8Array<ArrayBuffer> | ArrayBuffer | URL | string;

/** What to upload, with its name if it has one: a file, or the URL of one. */
export interface Source {
  readonly from: Blob | URL;
  readonly name: string | undefined;
}

/** Opens an input. @throws TypeError if a text is no URL */
export function sourceOf(input: Input): Source {
  if (input instanceof Blob) return { from: input, name: "name" in input ? String(input.name) : undefined };
  if (typeof input !== "string" && !(input instanceof URL))
    return { from: new Blob([input]), name: undefined };
  const from = new URL(input);
  return { from, name: from.protocol === "data:" ? undefined : from.pathname.split("/").pop() };
}

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
