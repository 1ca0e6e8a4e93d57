import { describe, expect, it } from "vitest";
import { type KeptWork, outlived } from "../../../src/workspace/saved/saved-workspace.ts";

const HOUR_MS = 3_600_000;
const NOW = 100 * HOUR_MS;

const kept = (id: string, news: Partial<KeptWork> = {}): KeptWork => ({
  id,
  accountId: "mine",
  tab: "this",
  usedAt: NOW,
  isDraft: true,
  isSending: false,
  type: "image",
  fps: 2,
  prompts: [],
  threshold: null,
  pictures: [],
  asked: null,
  request: null,
  pointed: [],
  regions: [],
  edits: [],
  verdictsOf: [],
  firstJob: null,
  searches: [],
  ...news,
});

describe("what a browser keeps of works", () => {
  const idsOf = (works: readonly KeptWork[]): string[] =>
    outlived(works, NOW, { tab: "this", accountId: "mine" }).map(({ id }) => id);

  it("is forgotten a day after it last changed", () => {
    expect(
      idsOf([kept("new", { usedAt: NOW - 23 * HOUR_MS }), kept("old", { usedAt: NOW - 25 * HOUR_MS })]),
    ).toEqual(["old"]);
  });

  it("are 50 works, the newest", () => {
    expect(idsOf(Array.from({ length: 52 }, (_, i) => kept(`${i}`)))).toEqual(["50", "51"]);
  });

  it("is of nobody else in the same tab; another tab may be somebody else's", () => {
    expect(
      idsOf([kept("a", { accountId: "other" }), kept("b", { accountId: "other", tab: "second" })]),
    ).toEqual(["a"]);
  });
});
