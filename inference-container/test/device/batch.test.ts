import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canJoin, joinable, joinFeeds, rowsOf, takeRows } from "../../src/device/batch.ts";
import type { Declared, Run } from "../../src/device/messages.ts";
import type { Values } from "../../src/device/values.ts";
import { anyValues, ELEMENT_TYPES, floatsOf, numbersOf, runOf } from "../support/runs.ts";

const NAMES = ["ids", "mask"] as const;
const held = { held: 7, size: 1_000 };

const form = fc.tuple(
  fc.constantFrom(...ELEMENT_TYPES),
  fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
);

/** Several runs of one graph, each of 0 to 4 rows. */
const company = fc.tuple(form, form).chain(([[idsType, idsRest], [maskType, maskRest]]) =>
  fc.array(
    fc
      .nat(4)
      .chain((rows) =>
        fc.record({ ids: anyValues(idsType, rows, idsRest), mask: anyValues(maskType, rows, maskRest) }),
      )
      .map((feeds) => runOf({ feeds })),
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
        const feeds = joinFeeds(runs);
        let from = 0;
        for (const run of runs) {
          const rows = rowsOf(run) ?? NaN;
          for (const name of NAMES)
            expect(takeRows(valuesOf({ feeds }, name), from, rows)).toEqual(valuesOf(run, name));
          from += rows;
        }
        for (const name of NAMES) expect(valuesOf({ feeds }, name).dims[0]).toBe(from);
      }),
    );
  });

  it("can all be joined with each other", () => {
    fc.assert(
      fc.property(company, (runs) => {
        for (const a of runs) for (const b of runs) expect(joinable(a, b)).toBe(true);
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

describe("a run for one phrase", () => {
  const ids = floatsOf([[1, 2, 3]]);
  const mask = floatsOf([[1, 1, 0]]);
  const run = runOf({ feeds: { ids, mask } });

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
        },
      },
    ],
    ["feeds in another order", { feeds: { mask, ids } }],
  ])("is joined with one of %s", (_, told) => {
    expect(joinable(run, runOf({ feeds: run.feeds, ...told }))).toBe(true);
  });

  it.each<readonly [string, Partial<Run>]>([
    ["another graph", { graph: 2 }],
    ["other outputs", { outputs: ["y", "z"] }],
    ["results that stay with the device", { hold: true }],
    ["phrases that stay with the device", { feeds: { ids: held, mask } }],
    [
      "a tensor of more rows than its other",
      {
        feeds: {
          ids,
          mask: floatsOf([
            [1, 1, 0],
            [1, 1, 0],
          ]),
        },
      },
    ],
    ["longer phrases", { feeds: { ids: floatsOf([[1, 2, 3, 4]]), mask } }],
    ["phrases of one dimension more", { feeds: { ids: { ...ids, dims: [1, 3, 1] }, mask } }],
    ["phrases of another type", { feeds: { ids: { ...ids, type: "int32" }, mask } }],
    ["one tensor less", { feeds: { ids } }],
    ["one tensor more", { feeds: { ids, mask, more: mask } }],
    ["a tensor of another name", { feeds: { ids, tokens: mask } }],
  ])("is never joined with one of %s", (_, told) => {
    const other = runOf({ feeds: run.feeds, ...told });
    expect(joinable(run, other)).toBe(false);
    expect(joinable(other, run)).toBe(false);
  });
});

describe("a graph", () => {
  const tensor = (name: string, ...shape: (number | string)[]): Declared => ({
    name,
    type: "float32",
    shape,
  });

  it.each<readonly [string, Declared[], Declared[], boolean]>([
    [
      "all of whose tensors have any number of rows takes several runs",
      [tensor("a", "n", 3), tensor("b", "n")],
      [tensor("y", "n", 9)],
      true,
    ],
    [
      "that takes one picture and any number of phrases does not take several runs",
      [tensor("picture", 1, 3), tensor("ids", "n", 3)],
      [tensor("y", "n")],
      false,
    ],
    ["whose inputs have one row does not take several runs", [tensor("a", 1, 3)], [tensor("y", "n")], false],
    [
      "with an output of one row does not take several runs",
      [tensor("a", "n", 3)],
      [tensor("y", "n"), tensor("z", 1)],
      false,
    ],
    ["with an output without rows does not take several runs", [tensor("a", "n", 3)], [tensor("y")], false],
    [
      "whose other dimensions are open does not take several runs",
      [tensor("a", 1, "width")],
      [tensor("y", 1, "width")],
      false,
    ],
    ["without inputs does not take several runs", [], [tensor("y", "n")], false],
  ])("%s", (_, inputs, outputs, expected) => {
    expect(canJoin({ inputs, outputs })).toBe(expected);
  });
});
