import { annotationLine, categoriesOf, closeAnnotations, openAnnotations } from "@segmentation/protocol";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { joinAnnotations } from "../../../src/archives/rules/join-annotations.ts";

const CATEGORIES = categoriesOf(["cat", "Straßenbahn"]);

/** A picture's document as the inference service writes it. */
const documentOf = (image: object, annotations: readonly object[]): string =>
  [
    openAnnotations({ images: [image], categories: CATEGORIES }),
    ...annotations.map((annotation, i) => annotationLine(annotation, i === 0)),
    closeAnnotations(),
  ].join("");

/** A string in chunks of this many bytes. */
const chunked = (text: string, bytes: number) => async () =>
  (async function* () {
    const all = new TextEncoder().encode(text);
    for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
  })();

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const piece of pieces) text += decoder.decode(piece, { stream: true });
  return text;
}

const annotation = fc.record({
  id: fc.nat(),
  text: fc.string({ unit: "binary" }).map((s) => s.toWellFormed()),
});
const picture = fc.record({
  image: fc.record({ id: fc.nat(), file_name: fc.string() }),
  annotations: fc.array(annotation, { maxLength: 4 }),
  bytes: fc.integer({ min: 1, max: 90 }),
});

it("the documents of a job's pictures become one, with images and annotations in order, for any arrival [A4-6]", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(picture, { minLength: 1, maxLength: 5 }), async (pictures) => {
      const documents = pictures.map(({ image, annotations, bytes }) =>
        chunked(documentOf(image, annotations), bytes),
      );
      expect(JSON.parse(await textOf(joinAnnotations(CATEGORIES, documents)))).toEqual({
        images: pictures.map(({ image }) => image),
        annotations: pictures.flatMap(({ annotations }) => annotations),
        categories: CATEGORIES,
      });
    }),
  );
});

it("a document is opened in its turn, and only one chunk of it is kept", async () => {
  const opened: number[] = [];
  const line = "x".repeat(10_000);
  const documents = [0, 1].map((index) => async () => {
    opened.push(index);
    const many = Array.from({ length: 30 }, (_, id) => ({ id, line }));
    return chunked(documentOf({ id: index }, many), 1_000)();
  });
  let largest = 0;
  let begun = 0;
  for await (const piece of joinAnnotations(CATEGORIES, documents)) {
    largest = Math.max(largest, piece.length);
    begun = Math.max(begun, opened.length);
    if (begun === 0) expect(opened).toEqual([]);
  }
  expect(largest).toBeLessThan(1_100);
  expect(opened).toEqual([0, 1]);
});

it("a first line of more than a mebibyte is refused before the rest is read", async () => {
  let read = 0;
  const endless = async () =>
    (async function* () {
      for (; read < 100; read += 1) yield new Uint8Array(256 * 1024);
    })();
  await expect(textOf(joinAnnotations(CATEGORIES, [endless]))).rejects.toThrow("not written in lines");
  expect(read).toBe(4);
});

it.each([
  ["has no first line", "x".repeat(1_200_000)],
  ["ends too early", documentOf({ id: 1 }, [{ id: 1 }]).slice(0, -2)],
  ["is empty", ""],
])("a document that %s is an error", async (_, text) => {
  await expect(textOf(joinAnnotations(CATEGORIES, [chunked(text, 60_000)]))).rejects.toThrow(
    "not written in lines",
  );
});
