import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ClipTokenizer } from "../../../src/models/text/clip-tokenizer.ts";
import { clipTokenizerJson } from "../sam3/clip-vocabulary.ts";

const text = {
  tokenizer: "tokenizer.json",
  context: 32,
  start: 49406,
  end: 49407,
  pad: 0,
  mask: "tokens",
} as const;

let folder: string;
let tokenizer: ClipTokenizer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tokenizer-"));
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(clipTokenizerJson()));
  tokenizer = await ClipTokenizer.load(folder, text);
});
afterAll(() => rm(folder, { recursive: true }));

function between(prompt: string): readonly number[] {
  const { ids, count } = tokenizer.encode(prompt);
  expect([ids.length, ids[0], ids[count - 1]]).toEqual([32, 49406, 49407]);
  return ids.slice(1, count - 1);
}

describe("CLIP's tokenizer gives the ids that were published", () => {
  // transformers: test_tokenization_clip.py, integration_expected_token_ids, and its documentation of CLIP.
  it.each([
    ["a photo of a cat", [320, 1125, 539, 320, 2368]],
    [
      "I was born in 92000, and this is falsé.",
      [328, 739, 2683, 530, 280, 273, 271, 271, 271, 267, 537, 589, 533, 2778, 82, 4166, 269],
    ],
    ["生活的真谛是", [33375, 162, 112, 119, 163, 248, 226, 41570, 164, 108, 249, 42891, 363]],
  ])("with transformers: %s", (prompt, ids) => {
    expect(between(prompt)).toEqual(ids);
  });

  it.each([
    ["plant", [3912]],
    ["a person wearing a red hat", [320, 2533, 3309, 320, 736, 3801]],
  ])("with SAM 3: %s", (prompt, ids) => {
    expect(between(prompt)).toEqual(ids);
  });

  it.each([
    ["I can't believe it's not butter", [328, 753, 713, 2649, 585, 568, 783, 6952]],
    ["hello, world! how are you?", [3306, 267, 1002, 256, 829, 631, 592, 286]],
    ["MacBook Pro 16-inch", [20617, 2630, 272, 277, 268, 6523]],
    ["  HELLO   World  ", [3306, 1002]],
    ["hatbox", [3447, 2063]],
    ["hat box", [3801, 2063]],
    ["mobileclip", [9451, 944, 8546]],
    ["birthday cake 2024", [1166, 2972, 273, 271, 273, 275]],
    ["café", [15304]],
    ["🐶", [10631]],
    ["", []],
  ])("with OpenCLIP and transformers: %s", (prompt, ids) => {
    expect(between(prompt)).toEqual(ids);
  });
});

describe("a row of tokens", () => {
  it("is padded as the layout says", async () => {
    expect(tokenizer.encode("red")).toEqual({ ids: [49406, 736, 49407, ...Array(29).fill(0)], count: 3 });
    const other = await ClipTokenizer.load(folder, { ...text, pad: 49407 });
    expect(other.encode("red").ids).toEqual([49406, 736, ...Array(30).fill(49407)]);
  });

  it("keeps its end token when it is too long, and everything when it fits", () => {
    const words = (count: number): string => Array(count).fill("red").join(" ");
    expect(tokenizer.encode(words(30))).toEqual({ ids: [49406, ...Array(30).fill(736), 49407], count: 32 });
    expect(tokenizer.encode(words(31))).toEqual(tokenizer.encode(words(30)));
  });
});

describe("a tokenizer is refused by the name of its file", () => {
  it("when it is not CLIP's", async () => {
    await expect(ClipTokenizer.load(folder, { ...text, start: 101 })).rejects.toThrow(
      /^tokenizer\.json in .* is not CLIP's tokenizer\.json: it encodes "a" as \[49406, 320, 49407\]/,
    );
  });

  it("when it is none", async () => {
    await writeFile(join(folder, "other.json"), '{"model": {}}');
    await expect(ClipTokenizer.load(folder, { ...text, tokenizer: "other.json" })).rejects.toThrow(
      /^other\.json in .* is not CLIP's tokenizer\.json: /,
    );
  });
});
