import { describe, expect, it } from "vitest";
import { type SavedWorkspace, expired } from "../../../src/workspace/saved/saved-workspace.ts";

const HOUR_MS = 3_600_000;
const NOW = 100 * HOUR_MS;

const saved = (id: string, news: Partial<SavedWorkspace> = {}): SavedWorkspace => ({
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
  const idsOf = (workspaces: readonly SavedWorkspace[]): string[] =>
    expired(workspaces, NOW, { tab: "this", accountId: "mine" }).map(({ id }) => id);

  it("is forgotten a day after it last changed", () => {
    expect(
      idsOf([saved("new", { usedAt: NOW - 23 * HOUR_MS }), saved("old", { usedAt: NOW - 25 * HOUR_MS })]),
    ).toEqual(["old"]);
  });

  it("are 50 works, the newest", () => {
    expect(idsOf(Array.from({ length: 52 }, (_, i) => saved(`${i}`)))).toEqual(["50", "51"]);
  });

  it("is of nobody else in the same tab; another tab may be somebody else's", () => {
    expect(
      idsOf([saved("a", { accountId: "other" }), saved("b", { accountId: "other", tab: "second" })]),
    ).toEqual(["a"]);
  });
});
