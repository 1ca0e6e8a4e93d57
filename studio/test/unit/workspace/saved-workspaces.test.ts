import { describe, expect, it } from "vitest";
import { onlyHere } from "../../../src/workspace/saved/only-here.ts";
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
  later: [],
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

const file = (name: string, sending: SavedWorkspace["pictures"][number]["sending"] = { at: "here" }) => ({
  key: name,
  name,
  address: null,
  sending,
});

/** A clip with a job, and a box that the job has or has not. */
function clip(label: string, requested: string): Partial<SavedWorkspace> {
  const box = [0, 0, 4, 4] as const;
  const region = {
    taskId: "c.mp4",
    box: [...box] as [number, number, number, number],
    timeSeconds: 0,
    objectId: 1,
  };
  return {
    type: "video",
    firstJob: "job",
    pictures: [file("walk.mp4", { at: "sent", taskId: "c.mp4" })],
    regions: [{ objectId: 1, timeSeconds: 0, label, region: { box } }],
    request: { type: "video", tasks: ["c.mp4"], regions: [{ ...region, label: requested }] },
  };
}

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

  it("stay as long as a job's clip has points or names that no job has", () => {
    const usedAt = NOW - 25 * HOUR_MS;
    expect(
      idsOf([
        saved("renamed", { ...clip("boy", "man"), usedAt }),
        saved("as requested", { ...clip("man", "man"), usedAt }),
        saved("draft", { ...clip("boy", "man"), firstJob: null, usedAt }),
      ]),
    ).toEqual(["as requested", "draft"]);
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

describe("a sign-out", () => {
  it("asks about files that were not sent, also those for later, and counts many", () => {
    const sent = file("sent.png", { at: "sent", taskId: "s.png" });
    const later = Array.from({ length: 12 }, (_, i) => file(`${i}.png`));
    expect(onlyHere(saved("batch", { pictures: [sent, file("first.png")], later }))).toEqual([
      "13 files not sent yet: first.png, 0.png, 1.png, 2.png, 3.png, 4.png, 5.png, 6.png, 7.png, 8.png and 3 more",
    ]);
    expect(onlyHere(saved("sent", { pictures: [sent] }))).toEqual([]);
  });

  it("asks about points and names in a clip that no job has, and about unsaved changes", () => {
    expect(onlyHere(saved("clip", { ...clip("boy", "man"), isUnsaved: true }))).toEqual([
      "Points, boxes and names in walk.mp4 that no job has yet",
      "Changes to walk.mp4 that are not saved",
    ]);
    expect(onlyHere(saved("clip", clip("man", "man")))).toEqual([]);
  });
});
