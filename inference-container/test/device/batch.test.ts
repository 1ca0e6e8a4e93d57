import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { growingInputs, joinable, joinFeeds, rowsOf, takeRows } from "../../src/device/batch.ts";
import type { Declared, Run } from "../../src/device/messages.ts";
import type { Values } from "../../src/device/values.ts";
import { anyValues, ELEMENT_TYPES, floatsOf, numbersOf, runOf } from "../support/runs.ts";

const growing = new Set(["ids", "mask"]);
const picture = { held: 7, size: 1_000 };

const form = fc.tuple(
  fc.constantFrom(...ELEMENT_TYPES),
  fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
);

/** Several runs of one graph, of 0 to 4 rows each, with one picture. */
const company = fc.tuple(form, form).chain(([[idsType, idsRest], [maskType, maskRest]]) =>
  fc.array(
    fc
      .nat(4)
      .chain((rows) =>
        fc.record({ ids: anyValues(idsType, rows, idsRest), mask: anyValues(maskType, rows, maskRest) }),
      )
      .map((grown) => runOf({ feeds: { ...grown, picture } })),
    { minLength: 1, maxLength: 5 },
  ),
);

function valuesOf({ feeds }: Pick<Run, "feeds">, name: string): Values {
  const feed = feeds[name];
  if (feed === undefined || !("dims" in feed)) throw new Error(`No values for ${name}.`);
  return feed;
}

describe("runs joined into one", () => {
  it("each get their own rows back, whatever the types and the sizes", () => {
    fc.assert(
      fc.property(company, (runs) => {
        const feeds = joinFeeds(runs, growing);
        let from = 0;
        for (const run of runs) {
          const rows = rowsOf(run, growing);
          for (const name of growing)
            expect(takeRows(valuesOf({ feeds }, name), from, rows)).toEqual(valuesOf(run, name));
          from += rows;
        }
        for (const name of growing) expect(valuesOf({ feeds }, name).dims[0]).toBe(from);
      }),
    );
  });

  it("can all be joined with each other, and share what does not grow", () => {
    fc.assert(
      fc.property(company, (runs) => {
        for (const a of runs) for (const b of runs) expect(joinable(a, b, growing)).toBe(true);
        expect(joinFeeds(runs, growing)["picture"]).toBe(picture);
      }),
    );
  });

  it("get copies of which nobody else reads the bytes", () => {
    const all = floatsOf([[1], [2]]);
    const second = takeRows(all, 1, 1);
    all.bytes.fill(0);
    expect(numbersOf(second)).toEqual([2]);
  });
});

describe("a run for one phrase of a picture", () => {
  const ids = floatsOf([[1, 2, 3]]);
  const mask = floatsOf([[1, 1, 0]]);
  const run = runOf({ feeds: { ids, mask, picture } });

  it.each<readonly [string, Partial<Run>]>([
    ["another work", { work: 1_000 }],
    ["a work that goes on", { followed: true }],
    [
      "more phrases",
      {
        feeds: {
          ids: floatsOf([
            [1, 2, 3],
            [4, 5, 6],
          ]),
          mask: floatsOf([
            [1, 1, 1],
            [1, 0, 0],
          ]),
          picture,
        },
      },
    ],
    ["feeds in another order", { feeds: { picture, mask, ids } }],
    ["the same picture under another description", { feeds: { ids, mask, picture: { ...picture } } }],
  ])("is joined with one of %s", (_, told) => {
    expect(joinable(run, runOf({ feeds: run.feeds, ...told }), growing)).toBe(true);
  });

  it.each<readonly [string, Partial<Run>]>([
    ["another graph", { graph: 2 }],
    ["other outputs", { outputs: ["y", "z"] }],
    ["results that stay with the device", { hold: true }],
    ["another picture", { feeds: { ids, mask, picture: { held: 8, size: 1_000 } } }],
    ["a picture that does not stay with the device", { feeds: { ids, mask, picture: floatsOf([[1]]) } }],
    ["phrases that stay with the device", { feeds: { ids: { held: 9, size: 12 }, mask, picture } }],
    ["longer phrases", { feeds: { ids: floatsOf([[1, 2, 3, 4]]), mask, picture } }],
    ["phrases of one dimension more", { feeds: { ids: { ...ids, dims: [1, 3, 1] }, mask, picture } }],
    ["phrases of another type", { feeds: { ids: { ...ids, type: "int32" }, mask, picture } }],
    ["one tensor less", { feeds: { ids, mask } }],
    ["one tensor more", { feeds: { ids, mask, picture, more: picture } }],
    ["a tensor of another name", { feeds: { ids, tokens: mask, picture } }],
  ])("is never joined with one of %s", (_, told) => {
    const other = runOf({ feeds: run.feeds, ...told });
    expect(joinable(run, other, growing)).toBe(false);
    expect(joinable(other, run, growing)).toBe(false);
  });

  it("is never joined where a tensor of any size but a held one does not grow, be its values the same", () => {
    expect(joinable(run, runOf({ feeds: run.feeds }), new Set(["ids"]))).toBe(false);
  });
});

describe("a graph", () => {
  const tensor = (name: string, ...shape: (number | string)[]): Declared => ({
    name,
    type: "float32",
    shape,
  });

  it.each<readonly [string, Declared[], Declared[], string[] | undefined]>([
    [
      "all of whose tensors have any number of rows",
      [tensor("a", "n", 3), tensor("b", "n")],
      [tensor("y", "n", 9)],
      ["a", "b"],
    ],
    [
      "that takes one picture and any number of phrases",
      [tensor("picture", 1, 3), tensor("ids", "n", 3)],
      [tensor("y", "n")],
      ["ids"],
    ],
    ["whose inputs have one row", [tensor("a", 1, 3)], [tensor("y", "n")], undefined],
    ["with an output of one row", [tensor("a", "n", 3)], [tensor("y", "n"), tensor("z", 1)], undefined],
    ["with an output without rows", [tensor("a", "n", 3)], [tensor("y")], undefined],
    ["whose other dimensions are open", [tensor("a", 1, "width")], [tensor("y", 1, "width")], undefined],
  ])("%s: what grows with a batch", (_, inputs, outputs, expected) => {
    const found = growingInputs({ inputs, outputs });
    expect(found === undefined ? undefined : [...found]).toEqual(expected);
  });
});
