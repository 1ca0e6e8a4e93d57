import type { Bytes } from "@segmentation/masks";
import { SegmentationError } from "../errors.ts";
import { type ByteStream, chunksOf, isByteStream } from "./shapes.ts";
import { type Exchange, networkFailure } from "./exchange.ts";

/**
 * A body as JSON; undefined if it is empty. Trusts the service to follow its contract.
 * @throws SegmentationError `unreadable_answer`
 */
export async function readJson<T>(response: Response, alive: () => void = () => {}): Promise<T> {
  return parseJson(await (await readBlob(response, alive)).text(), response);
}

/** A string of an answer as JSON; see `readJson`. */
export function parseJson(text: string, response: Response) {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch (cause) {
    throw unreadable(response, "is not JSON", cause);
  }
}

/** The error of a success that cannot be read; the client asks again. */
export const unreadable = (response: Response, what: string, cause?: unknown): SegmentationError =>
  new SegmentationError(
    "unreadable_answer",
    `The answer ${what}. Is this the address of a segmentation service?`,
    {
      status: response.status,
      requestId: response.headers.get("x-request-id") ?? undefined,
      cause,
    },
  );

/** Visits a body piece by piece, and calls `alive` for each. @throws SegmentationError `connection_failed` */
export async function* pieces(response: Response, alive: () => void): AsyncGenerator<Bytes, void> {
  try {
    for await (const piece of bodyOf(response)) {
      alive();
      yield piece;
    }
  } catch (error) {
    throw networkFailure(error);
  }
}

/** Some bodies are no stream of the Web: node-fetch has one of Node, React Native has none. */
async function* bodyOf(response: Response): AsyncGenerator<Bytes, void> {
  const body: unknown = response.body;
  if (isByteStream(body)) return yield* chunksOf(body);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length > 0) yield bytes;
}

/** A whole body. */
export async function readBlob(response: Response, alive: () => void): Promise<Blob> {
  const parts: Bytes[] = [];
  for await (const piece of pieces(response, alive)) parts.push(piece);
  return new Blob(parts, { type: response.headers.get("content-type") ?? "" });
}

/** Reads a caller's stream to its end. @throws the stream's own error, or the exchange's */
export async function readStream(stream: ByteStream, type: string, exchange: Exchange): Promise<Blob> {
  const parts: Bytes[] = [];
  for (const chunks = chunksOf(stream); ;) {
    const { done, value } = await exchange.unlessOver(chunks.next());
    if (done) return new Blob(parts, { type });
    // The stream may use its buffer again.
    parts.push(value.slice());
  }
}
