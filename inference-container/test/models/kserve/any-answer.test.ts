import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readOutputs, WrongAnswer } from "../../../src/models/kserve/response.ts";

/** An answer without objects, as a server may send it. */
const NOTHING = JSON.stringify({
  outputs: [
    { name: "boxes", datatype: "FP32", shape: [0, 4], data: [] },
    { name: "scores", datatype: "FP32", shape: [0], data: [] },
    { name: "prompt_index", datatype: "INT32", shape: [0], data: [] },
    { name: "masks", datatype: "FP16", shape: [0, 288, 288], data: [] },
  ],
});

/** Any bytes, or the answer with one place changed. */
const body = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc
    .tuple(
      fc.nat(NOTHING.length - 1),
      fc.constantFrom("", "0", "9", "-", "{", '"', "[", "]", ",", "null", "1e99"),
    )
    .map(([at, text]) => Buffer.from(`${NOTHING.slice(0, at)}${text}${NOTHING.slice(at + 1)}`)),
);
const header = fc.option(fc.oneof(fc.nat(400).map(String), fc.string({ maxLength: 8 })));

it("any answer is read as objects or refused with a reason", () => {
  expect(readOutputs(new Uint8Array(Buffer.from(NOTHING)), null, undefined, 5).count).toBe(0);
  fc.assert(
    fc.property(body, header, (bytes, length) => {
      try {
        expect(readOutputs(new Uint8Array(bytes), length, undefined, 5).count).toBe(0);
      } catch (error) {
        expect(error).toBeInstanceOf(WrongAnswer);
      }
    }),
    { numRuns: 2_000 },
  );
});
