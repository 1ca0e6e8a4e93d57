import { SegmentationError } from "../errors.ts";

/**
 * A body as JSON, nothing of an empty one; the service is trusted to send what its contract has.
 * @throws SegmentationError `unreadable_answer`
 */
export async function readJson<T>(response: Response, alive: () => void = () => {}): Promise<T> {
  return parseJson(await (await readBlob(response, alive)).text(), response);
}

/** A text of an answer as JSON; see `readJson`. */
export function parseJson(text: string, response: Response) {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch (cause) {
    throw unreadable(response, "is not JSON", cause);
  }
}

/** The error of an answer that says success and cannot be read; it is asked for again. */
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

/** Visits a body piece by piece; each one says that it is alive. */
export async function* pieces(
  response: Response,
  alive: () => void,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    alive();
    yield value;
  }
}

/** A whole body. */
export async function readBlob(response: Response, alive: () => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of pieces(response, alive)) parts.push(piece);
  return new Blob(parts, { type: response.headers.get("content-type") ?? "" });
}
