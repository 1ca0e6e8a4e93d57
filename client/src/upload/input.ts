import { type FileKind, fileKindOf, HEAD_BYTES } from "@segmentation/masks";
import { invalidInput } from "../errors.ts";
import {
  bytesOf,
  type ByteStream,
  isByteStream,
  isObject,
  isResponse,
  type ResponseLike,
} from "../http/shapes.ts";
import { Exchange } from "../http/exchange.ts";
import { readStream } from "../http/read.ts";
import { parseUrl } from "../http/url.ts";
import { type BlobLike, describeMisfit, type FileHandleLike, isBlob, isFileHandle, isUrl } from "./shapes.ts";
import { nameOfPath } from "../results/file-names.ts";

/** A file as a stream. The client reads it whole before it sends it, because storage requires its length first. */
export interface StreamInput {
  readonly stream: ByteStream;
  /** The file's name, for results. */
  readonly name?: string | undefined;
  /** The file's MIME type, if its first bytes do not say it. */
  readonly type?: string | undefined;
}

/** A file at a URL: the service fetches it, if it can. */
export interface UrlInput {
  readonly url: string | URL;
  /** The file's name, for results; by default the URL's last part. */
  readonly name?: string | undefined;
}

/** A file that was uploaded before: the result of `upload()`, or a `taskId` of an earlier job. */
export interface UploadedInput {
  readonly taskId: string;
  /** The file's name, for results. */
  readonly name?: string | undefined;
}

/**
 * A picture or a video: a File or Blob, its bytes, a response of `fetch`, a stream of the Web or of Node, its URL, or
 * its `taskId`. Classes of packages work like the platform's.
 */
export type Input =
  | BlobLike
  | Uint8Array
  | ArrayBuffer
  | ResponseLike
  | ByteStream
  | FileHandleLike
  | StreamInput
  | UrlInput
  | UploadedInput
  | URL
  | string;

/** A file to upload, with its name if it has one: its content, its URL, or its taskId if it is uploaded already. */
export interface Source {
  readonly from: Blob | URL | UploadedInput;
  readonly name: string | undefined;
}

/** Opens an input. @throws SegmentationError `invalid_input` if it is not one, cannot be read, or is empty */
export async function sourceOf(input: Input, signal?: AbortSignal): Promise<Source> {
  const source = await opened(input, signal);
  if (source.from instanceof Blob) assertContent(source.from, source.name);
  return source;
}

/** @throws SegmentationError `invalid_input` if a file is empty, as no picture and no video is */
export function assertContent({ size }: Blob, name = "The input"): void {
  if (size === 0) throw invalidInput(`${name} is empty: it has no bytes, or none left.`);
}

async function opened(input: Input, signal: AbortSignal | undefined): Promise<Source> {
  if (typeof input === "string" || isUrl(input)) return await at(input, signal);
  const bytes = bytesOf(input);
  if (bytes !== undefined) return { from: new Blob([bytes]), name: undefined };
  if (isResponse(input)) return await bodyOf(input, signal);
  if (isBlob(input)) return { from: await blobOf(input, signal), name: textOf(input.name) };
  if (isByteStream(input)) return { from: await contentOf(input, signal), name: undefined };
  if (isFileHandle(input))
    return await opened(input.createReadStream({ start: 0, autoClose: false }), signal);
  if (isObject(input)) {
    // A Request has a URL, too, but is not a place.
    if ("url" in input && !("arrayBuffer" in input)) {
      const { from, name } = await at(input.url, signal);
      return { from, name: input.name ?? name };
    }
    if ("taskId" in input && typeof input.taskId === "string" && input.taskId !== "")
      return { from: input, name: input.name };
    if ("stream" in input && isByteStream(input.stream)) {
      const { stream, name, type = "" } = input;
      return { from: await contentOf(stream, signal, name, type), name };
    }
  }
  throw invalidInput(
    `${describeMisfit(input)} An input is a File or Blob, bytes, a stream, a response, a URL or { taskId }; with segmentation-client/node, a path too.`,
  );
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

/** The file at a URL, with the name at the URL's end. */
async function at(given: string | URL, signal: AbortSignal | undefined): Promise<Source> {
  const text = String(given);
  const url = parseUrl(text);
  if (url === undefined)
    throw invalidInput(`${shortened(text)} is not a URL. Paths are taken by segmentation-client/node.`);
  const { protocol, username, password } = url;
  if (protocol === "data:" || protocol === "blob:")
    return { from: await localFile(text, signal), name: undefined };
  if (protocol !== "https:" && protocol !== "http:")
    throw invalidInput(`${shortened(text)} is not a URL of the Web. Give one that begins with https://`);
  if (username !== "" || password !== "")
    throw invalidInput(
      `The URL of ${url.hostname} contains a password, which no request sends. Fetch the file, and give the response.`,
    );
  return { from: url, name: nameOfPath(url.pathname) };
}

const shortened = (text: string): string =>
  text === "" ? "An empty text" : text.length > 200 ? `${text.slice(0, 200)}…` : text;

/** The file of a `data:` or `blob:` URL. */
async function localFile(url: string, signal: AbortSignal | undefined): Promise<Blob> {
  const what = `The ${url.slice(0, 5)} URL`;
  return await readable(
    what,
    (exchange) => exchange.unlessOver(fetch(url).then((each) => each.blob())),
    signal,
  );
}

/** The file in a response. */
async function bodyOf(response: ResponseLike, signal: AbortSignal | undefined): Promise<Source> {
  const { url, status, ok, headers } = response;
  const place = parseUrl(url);
  const name = place && nameOfPath(place.pathname);
  if (!ok) throw invalidInput(`${url || "The input"} answered with status ${status} instead of a file.`);
  return { from: await bufferOf(response, signal, name, headers.get("content-type") ?? ""), name };
}

/** A Blob of the platform. */
async function blobOf(blob: BlobLike, signal: AbortSignal | undefined): Promise<Blob> {
  if (blob instanceof Blob && Number.isFinite(blob.size)) return blob;
  return await bufferOf(blob, signal, textOf(blob.name), blob.type);
}

/** The bytes of a file or a response, read by its `arrayBuffer`. */
async function bufferOf(
  file: BlobLike | ResponseLike,
  signal: AbortSignal | undefined,
  name = "The input",
  type = "",
): Promise<Blob> {
  const read = (exchange: Exchange) => exchange.unlessOver(file.arrayBuffer());
  const bytes = bytesOf(await readable(name, read, signal));
  if (bytes === undefined) throw invalidInput(`${name} gives no ArrayBuffer. Give its bytes.`);
  return new Blob([bytes], { type });
}

/** A stream's bytes. */
async function contentOf(
  stream: ByteStream & { readonly statusCode?: unknown },
  signal: AbortSignal | undefined,
  name = "The input",
  type = "",
): Promise<Blob> {
  const { statusCode: status } = stream;
  if (typeof status === "number" && (status < 200 || status > 299))
    throw invalidInput(`${name} answered with status ${status} instead of a file.`);
  return await readable(name, (exchange) => readStream(stream, type, exchange), signal);
}

/** The result of `read`. @throws SegmentationError `invalid_input`, or the signal's reason */
async function readable<T>(
  name: string,
  read: (exchange: Exchange) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const exchange = new Exchange(Infinity, signal);
  try {
    return await read(exchange);
  } catch (cause) {
    signal?.throwIfAborted();
    const why = cause instanceof Error ? ` (${cause.message})` : "";
    throw invalidInput(
      `${name} cannot be read to its end${why}. A stream can be read only once, and a file must not change.`,
      { cause },
    );
  } finally {
    exchange.close();
  }
}

export const UNKNOWN_TYPE = "application/octet-stream";

const isMedia = (contentType: string): boolean => /^(?:image|video)\/[^\s;]+$/.test(contentType);

/** The kind of a file, by its first bytes; undefined if it is of no known format. */
export async function kindOfFile(file: Blob, name = "The input"): Promise<FileKind | undefined> {
  return fileKindOf(new Uint8Array(await readable(name, () => file.slice(0, HEAD_BYTES).arrayBuffer())));
}

/** A file's MIME type, by its first bytes, or else its own; `UNKNOWN_TYPE` if neither is a picture's or a video's. */
export async function contentTypeOf(file: Blob, name?: string): Promise<string> {
  // A browser and Bun make the file's own type from its name.
  const { contentType } = (await kindOfFile(file, name)) ?? { contentType: file.type };
  return isMedia(contentType) ? contentType : UNKNOWN_TYPE;
}
