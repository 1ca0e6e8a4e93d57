import type { FileKind } from "@segmentation/masks";
import { invalidInput, loaded } from "../errors.ts";

/** A file as a stream. It is read whole before it is sent, because storage wants its length first. */
export interface StreamInput {
  readonly stream: ReadableStream<Uint8Array>;
  /** The file's name, for results. */
  readonly name?: string | undefined;
  /** The file's MIME type; by default what its first bytes say. */
  readonly type?: string | undefined;
}

/** A file at a URL: the service fetches it, if it can. */
export interface UrlInput {
  readonly url: string | URL;
  /** The file's name, for results; by default the URL's last part. */
  readonly name?: string | undefined;
}

/** A file that was uploaded before: what `upload()` gives, or a `taskId` of an earlier job. */
export interface UploadedInput {
  readonly taskId: string;
  /** The file's name, for results. */
  readonly name?: string | undefined;
}

/** A picture or a clip: a File or Blob, its bytes, an answer of `fetch`, a stream, the URL where it is, or its `taskId`. */
export type Input =
  | Blob
  | Uint8Array
  | ArrayBuffer
  | Response
  | StreamInput
  | UrlInput
  | UploadedInput
  | URL
  | string;

/** What to upload, with its name if it has one: a file, the URL of one, or the taskId of one that is uploaded already. */
export interface Source {
  readonly from: Blob | URL | UploadedInput;
  readonly name: string | undefined;
}

/** Opens an input. @throws SegmentationError `invalid_input` if it cannot be read */
export async function sourceOf(input: Input): Promise<Source> {
  if (typeof input === "string" || input instanceof URL) return at(input);
  if (input instanceof Blob) return { from: input, name: "name" in input ? String(input.name) : undefined };
  if (input instanceof Response) {
    const { url, status, ok } = input;
    const name = url === "" ? undefined : at(url).name;
    if (!ok) throw invalidInput(`${url || "The input"} answered with status ${status} instead of a file.`);
    return { from: await whole(input, name), name };
  }
  if ("url" in input) {
    const { from, name } = at(input.url);
    return { from, name: input.name ?? name };
  }
  if ("taskId" in input) return { from: input, name: input.name };
  if ("stream" in input) {
    const { stream, name, type } = input;
    const file = await whole(new Response(stream), name);
    return { from: type === undefined ? file : file.slice(0, file.size, type), name };
  }
  return { from: new Blob([input instanceof ArrayBuffer ? input : unshared(input)]), name: undefined };
}

/** The file at a URL, named as the URL ends. */
function at(given: string | URL): Source {
  const url = String(given);
  if (!URL.canParse(url))
    throw invalidInput(`${url} is not a URL. Paths are taken by segmentation-client/node.`);
  const from = new URL(url);
  return { from, name: from.protocol === "data:" ? undefined : from.pathname.split("/").pop() };
}

async function whole(response: Response, name = "The input"): Promise<Blob> {
  try {
    return await response.blob();
  } catch (cause) {
    throw invalidInput(`${name} cannot be read to its end. A stream can be read only once.`, { cause });
  }
}

/** Bytes as a Blob takes them, which refuses memory that threads share. */
function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, byteLength } = bytes;
  return buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer, byteOffset, byteLength)
    : new Uint8Array(bytes);
}

export const UNKNOWN_TYPE = "application/octet-stream";

const isMedia = (contentType: string): boolean => /^(?:image|video)\/[^\s;]+$/.test(contentType);

/** What a file is by its first bytes; undefined if it is of no known format. */
export async function kindOfFile(file: Blob): Promise<FileKind | undefined> {
  const { fileKindOf, HEAD_BYTES } = await loaded(import("./file-kind.ts"));
  return fileKindOf(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
}

/** A file's MIME type: what it says, or what its first bytes say; `UNKNOWN_TYPE` if neither says that it is a picture or a clip. */
export async function contentTypeOf(file: Blob): Promise<string> {
  if (isMedia(file.type)) return file.type;
  const { contentType = UNKNOWN_TYPE } = (await kindOfFile(file)) ?? {};
  return isMedia(contentType) ? contentType : UNKNOWN_TYPE;
}
