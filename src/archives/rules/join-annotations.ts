import {
  type Category,
  closeAnnotations,
  END_OF_ANNOTATIONS,
  openAnnotations,
  parseHead,
} from "@segmentation/protocol";
import { z } from "zod";

const NEWLINE = 10;
/** More than any job's categories take. */
const LONGEST_HEAD = 1024 * 1024;

const Head = z.object({ images: z.array(z.unknown()) });

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Joins the COCO documents of a job's pictures into one, in pieces. Copies annotations unchanged: memory holds one chunk of a
 * document and the entries of the pictures.
 *
 * @param documents open one document each, one after the other
 * @throws Error if one is not written in lines, as the protocol requires
 */
export async function* joinAnnotations(
  categories: readonly Category[],
  documents: Iterable<() => Promise<AsyncIterable<Uint8Array>>>,
): AsyncGenerator<Uint8Array> {
  const images: unknown[] = [];
  let isFirst = true;
  yield utf8(openAnnotations({ categories }));
  for (const open of documents) {
    let hasAnnotations = false;
    const lines = linesOf(await open(), (head) => images.push(...Head.parse(parseHead(head)).images));
    for await (const piece of lines) {
      if (!isFirst && !hasAnnotations) yield utf8(",");
      yield piece;
      hasAnnotations = true;
    }
    if (hasAnnotations) isFirst = false;
  }
  yield utf8(closeAnnotations({ images }));
}

/** The annotations of a document, unchanged and line by line; `onHead` receives its first line. */
async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  onHead: (head: string) => void,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array = new Uint8Array();
  let hasHead = false;
  for await (const chunk of chunks) {
    waiting = joined(waiting, chunk);
    if (!hasHead) {
      const end = waiting.indexOf(NEWLINE);
      if (end === -1 && waiting.length > LONGEST_HEAD) break;
      if (end === -1) continue;
      onHead(new TextDecoder().decode(waiting.subarray(0, end)));
      waiting = waiting.subarray(end + 1);
      hasHead = true;
    }
    // The document's end is not an annotation, and may come in two chunks.
    const sure = Math.max(0, waiting.length - END_OF_ANNOTATIONS.length);
    if (sure > 0) yield waiting.subarray(0, sure);
    waiting = waiting.slice(sure);
  }
  if (new TextDecoder().decode(waiting) !== END_OF_ANNOTATIONS)
    throw new Error("a COCO document is not written in lines");
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
