import { describe, expect, it } from "vitest";
import { readNounTable } from "../../../src/models/labels/vocabulary.ts";
import { readNouns, reduceNouns } from "../../../src/models/fetch/reduce-nouns.ts";

const INDEX = [
  "  1 A licence.",
  "animal n 1 0 1 0 00000010  ",
  "cat n 2 1 @ 2 1 00000020 00000050  ",
  "kitten n 1 1 @ 1 0 00000030  ",
  "mug n 2 1 @ 2 1 00000040 00000050  ",
  "sea_cat n 1 1 @ 1 0 00000060  ",
  "tiger n 2 1 @ 2 0 00000090 00000025  ",
  "tom n 1 1 @i 1 0 00000070  ",
].join("\n");
const DATA = [
  "  1 A licence.",
  "00000010 05 n 01 animal 0 000 | it moves",
  "00000020 05 n 02 cat 0 true_cat 0 001 @ 00000010 n 0000 | it purrs",
  "00000025 05 n 01 tiger 0 001 @ 00000020 n 0000 | a striped cat",
  "00000030 05 n 01 kitten 0 001 @ 00000020 n 0000 | a young cat",
  "00000040 06 n 01 mug 0 001 @ 00000060 n 0000 | what a mug holds",
  "00000050 18 n 01 guy 0 001 @ 00000010 n 0000 | a man",
  "00000060 06 n 01 sea_cat 0 001 @ 00000080 n 0000 | a fish",
  "00000070 05 n 01 Tom 0 001 @i 00000020 n 0000 | one cat",
  "00000080 06 n 01 thing 0 000 | a thing",
  "00000090 18 n 01 tiger 0 001 @ 00000080 n 0000 | a fierce person",
].join("\n");

function table(senses: string[]): Record<string, readonly number[]> {
  const label = { name: "cat", column: 0, senses };
  return Object.fromEntries(readNounTable(reduceNouns(readNouns(INDEX, DATA), [label])));
}

describe("reducing WordNet to a vocabulary", () => {
  it("keeps the label's noun with its narrower and wider nouns", () => {
    expect(table(["cat#1"])).toMatchObject({ cat: [0], kitten: [0], animal: [0] });
  });

  it("goes by a noun's first sense alone and leaves out the names of single beings", () => {
    expect(table(["cat#2"])).not.toHaveProperty("mug");
    expect(table(["cat#1"])).not.toHaveProperty("sea cat");
    expect(table(["cat#1"])).not.toHaveProperty("tom");
  });

  it("takes a noun without a rank in a corpus as the animal it can be", () => {
    expect(table(["cat#1"])).toMatchObject({ tiger: [0] });
  });

  it("carries WordNet's license at its head", () => {
    expect(reduceNouns(readNouns(INDEX, DATA), [])).toMatch(/^# A licence\.\n/);
  });

  it("names a sense that WordNet does not have", () => {
    expect(() => table(["cat#3"])).toThrow('WordNet has no sense cat#3, which the label "cat" names.');
  });
});
