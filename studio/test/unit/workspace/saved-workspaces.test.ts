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
  verdicts: [],
  notes: [],
  accepted: [],
  hidden: [],
  base: null,
  isUnsaved: false,
  firstJob: null,
  searches: [],
  classes: [],
  ...news,
});

describe("saved workspaces", () => {
  const idsOf = (workspaces: readonly SavedWorkspace[]): string[] =>
    expired(workspaces, NOW, { tab: "this", accountId: "mine" }).map(({ id }) => id);

  it("expire a day after the last change", () => {
    expect(
      idsOf([saved("new", { usedAt: NOW - 23 * HOUR_MS }), saved("old", { usedAt: NOW - 25 * HOUR_MS })]),
    ).toEqual(["old"]);
  });

  it("stay as long as the service has not saved their annotations", () => {
    const old = { usedAt: NOW - 25 * HOUR_MS, isUnsaved: true };
    expect(idsOf([saved("unsaved", old)])).toEqual([]);
  });

  it("are the newest 50", () => {
    expect(idsOf(Array.from({ length: 52 }, (_, i) => saved(`${i}`)))).toEqual(["50", "51"]);
  });

  it("belong to one account in a tab; another tab may have another account's", () => {
    expect(
      idsOf([saved("a", { accountId: "other" }), saved("b", { accountId: "other", tab: "second" })]),
    ).toEqual(["a"]);
  });
});
