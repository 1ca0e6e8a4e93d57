import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readEmbedding, valuesOf, writeEmbedding } from "@segmentation/masks";
import known from "../../test/support/embedding.json" with { type: "json" };

const file = Uint8Array.from(Buffer.from(known.hex, "hex"));
const data = {
  model: known.model,
  decoder: known.decoder,
  width: known.width,
  height: known.height,
  tensors: known.tensors.map(({ name, dims, blocks, minimum, step, bytes }) => ({
    name,
    dims,
    blocks: z.tuple([z.number(), z.number(), z.number()]).parse(blocks),
    minimum: Float32Array.from(minimum),
    step: Float32Array.from(step),
    bytes: Uint8Array.from(bytes),
  })),
};
const withHead = (from: string, to: string): Uint8Array =>
  Uint8Array.from(Buffer.from(Buffer.from(file).toString("latin1").replace(from, to), "latin1"));

describe("the file of an embedding", () => {
  it("is written and read byte for byte as documented", () => {
    expect(Buffer.from(writeEmbedding(data)).toString("hex")).toBe(known.hex);
    // At an odd place of a larger buffer.
    const shifted = new Uint8Array(file.length + 1);
    shifted.set(file, 1);
    expect(readEmbedding(shifted.subarray(1))).toEqual(data);
  });

  it("returns each value as its minimum plus its step times its byte", () => {
    const values = readEmbedding(file).tensors.map((tensor) => [...valuesOf(tensor)]);
    expect(values).toEqual(known.tensors.map((tensor) => tensor.values));
  });

  it.each([
    ["nothing", new Uint8Array(), "it does not begin with SEGEMBED"],
    ["another file", new TextEncoder().encode("another file, which is longer"), "it does not begin"],
    ["half of a header", file.subarray(0, 40), "it is cut short"],
    ["a file without its end", file.subarray(0, -8), "it is cut short"],
    ["a header that is no JSON", withHead('"format"', "'format'"), "its header is not of format 1"],
    ["a later format", withHead('"format":1', '"format":2'), "its header is not of format 1"],
    [
      "blocks of other sizes",
      withHead('"blocks":[4,3,1]', '"blocks":[4,4,1]'),
      "its header is not of format 1",
    ],
    [
      "a share above 1",
      withHead('"islandShare":0.25', '"islandShare":1.25'),
      "its header is not of format 1",
    ],
    ["no name", withHead('"name":"cells"', '"name":1      '), "its header is not of format 1"],
  ])("is refused with a reason: %s", (_, bytes, reason) => {
    expect(() => readEmbedding(bytes)).toThrow(`The file is no embedding: ${reason}`);
  });
});
