import { Readable } from "node:stream";
import { runInNewContext } from "node:vm";
import { type Input, SegmentationError } from "segmentation-client";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { only } from "../../test/support/at.ts";
import { memoryClient, picture } from "./support/memory-client.ts";

const bytes = picture(5);
const url = `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
const shared = new Uint8Array(new SharedArrayBuffer(13));
shared.set(bytes);
const within = new Uint8Array([9, ...bytes, 9]).subarray(1, 14);
const streamOf = (content: Uint8Array) => new Blob([new Uint8Array(content)]).stream();

/** Yields the bytes one by one, in one buffer. */
async function* generate() {
  const buffer = new Uint8Array(1);
  for (const byte of bytes) {
    buffer[0] = byte;
    yield await Promise.resolve(buffer);
  }
}

/** A file of a package, which is no class of the platform. */
const foreignFile = (tag: string) => ({
  size: bytes.length,
  type: "image/jpeg",
  name: "cup.png",
  arrayBuffer: () => Promise.resolve(bytes.slice().buffer),
  stream: () => Readable.from([bytes]),
  slice: () => expect.fail(),
  [Symbol.toStringTag]: tag,
});

const foreignResponse = (status = 200) => ({
  size: 0,
  url: "https://example.com/folder/cup.png?a=b",
  status,
  ok: status === 200,
  headers: new Headers({ "content-type": "text/plain" }),
  body: Readable.from([bytes]),
  arrayBuffer: () => Promise.resolve(bytes.slice().buffer),
});

describe("an input", () => {
  it.each<[string, () => Input, string | undefined]>([
    ["a Uint8Array", () => bytes, undefined],
    ["a part of a Uint8Array", () => within, undefined],
    ["shared memory", () => shared, undefined],
    ["a Buffer", () => Buffer.from(bytes), undefined],
    ["an ArrayBuffer", () => bytes.buffer, undefined],
    ["bytes of another realm", () => runInNewContext(`Uint8Array.of(${bytes.join()})`), undefined],
    [
      "an ArrayBuffer of another realm",
      () => runInNewContext(`Uint8Array.of(${bytes.join()}).buffer`),
      undefined,
    ],
    ["a Blob", () => new Blob([bytes]), undefined],
    ["a Blob whose type is another one", () => new Blob([bytes], { type: "video/mp4" }), undefined],
    ["a File", () => new File([bytes], "cup.png"), "cup.png"],
    ["a File without a name", () => new File([bytes], ""), undefined],
    ["a File of a package", () => foreignFile("File"), "cup.png"],
    ["a Blob of a bundled package", () => foreignFile("Object"), "cup.png"],
    ["a response of fetch", () => new Response(bytes), undefined],
    ["a response of a package", () => foreignResponse(), "cup.png"],
    ["a stream of the Web", () => streamOf(bytes), undefined],
    [
      "a stream of Node",
      () => Readable.from([bytes.subarray(0, 5), Buffer.from(bytes.subarray(5))]),
      undefined,
    ],
    ["an asynchronous generator", () => generate(), undefined],
    [
      "a stream with a name and a type",
      () => ({ stream: streamOf(bytes), name: "cup.png", type: "image/png" }),
      "cup.png",
    ],
    ["a stream alone", () => ({ stream: Readable.from([bytes]) }), undefined],
    ["a URL", () => new URL(url), undefined],
    ["{ url }", () => ({ url }), undefined],
    ["{ url } with a name", () => ({ url, name: "cup.png" }), "cup.png"],
  ])("is %s: these bytes arrive, under its name and their own type", async (_, input, name) => {
    const { client, service } = memoryClient();
    const { pictures } = await client.segment(input(), "cup");
    const { taskId, name: named } = only(pictures);
    expect([...(service.uploads.get(taskId)?.bytes ?? [])]).toEqual([...bytes]);
    expect(service.uploads.get(taskId)?.contentType).toBe("image/png");
    expect(named).toBe(name ?? taskId);
  });

  const used = new Response(bytes);
  void used.text();
  const NO_INPUTS: [string, () => unknown, string][] = [
    ["no URL", () => "photo.png", "photo.png is not a URL. Paths are taken by segmentation-client/node."],
    ["an empty text", () => "", "An empty text is not a URL."],
    ["a URL of another kind", () => "s3://bucket/a.png", "s3://bucket/a.png is not a URL of the Web."],
    [
      "a URL with a password",
      () => "https://ada:secret@example.com/a.png",
      "The URL of example.com contains",
    ],
    ["a broken data URL", () => "data:nothing", "The data: URL cannot be read"],
    ["null", () => null, "null is not a file."],
    ["undefined", () => undefined, "undefined is not a file."],
    ["a number", () => 7, "A number is not a file."],
    ["a function", () => () => bytes, "A function is not a file. Call it"],
    ["a promise", () => Promise.resolve(bytes), "A Promise is not a file. Await it first."],
    ["an empty object", () => ({}), "An object with no fields is not a file."],
    ["the file of an upload middleware", () => ({ fieldname: "f", buffer: bytes }), "Give its buffer."],
    ["an object with a path", () => ({ path: "a.png" }), "An object with path is not a file. Give its path."],
    ["a list in a list", () => [[[bytes]]], "An array is not a file."],
    ["a Set", () => new Set([bytes]), "Give several files to segment as [...files]."],
    ["a Request", () => new Request("https://example.com/a.png"), "A Request is not a file."],
    ["a taskId that is missing", () => ({ taskId: undefined }), "An object with taskId is not a file."],
    ["a url that is missing", () => ({ url: undefined }), "undefined is not a URL."],
    ["an error response", () => new Response("", { status: 404 }), "The input answered with status 404"],
    ["an error response of a package", () => foreignResponse(403), "cup.png?a=b answered with status 403"],
    ["a response that was read", () => used, "The input cannot be read to its end"],
    [
      "a stream that breaks",
      () => ({ stream: new ReadableStream({ start: (c) => c.error(new Error("gone")) }), name: "a.png" }),
      "a.png cannot be read to its end (gone).",
    ],
    ["a stream of text", () => Readable.from(["text"]), "its chunks are not bytes but of type string"],
    ["empty bytes", () => new Uint8Array(), "The input is empty"],
    ["an empty file", () => new File([], "a.png"), "a.png is empty"],
    ["an empty stream", () => new Blob([]).stream(), "The input is empty"],
    [
      "a file that cannot be read",
      () => Object.assign(foreignFile("File"), { arrayBuffer: () => Promise.reject(new Error("gone")) }),
      "cup.png cannot be read to its end (gone).",
    ],
  ];

  it.each(NO_INPUTS)(
    "that is %s is refused in a sentence, before anything is sent",
    async (_, input, message) => {
      const { client, service } = memoryClient();
      const given = () => z.custom<Input>().parse(input());
      for (const call of [() => client.segment(given(), "cup"), () => client.upload(given())]) {
        const failure: unknown = await call().catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(SegmentationError);
        expect(failure).toMatchObject({ code: "invalid_input", message: expect.stringContaining(message) });
      }
      expect(service.asked).toEqual([]);
    },
  );
});
