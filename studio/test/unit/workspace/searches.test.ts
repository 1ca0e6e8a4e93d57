import { describe, expect, it } from "vitest";
import { newPrompts, promptsOf, shownWith, type Search } from "../../../src/workspace/rules/searches.ts";

const search = (jobId: string, prompts: readonly string[], hasFailed = false): Search => ({
  jobId,
  prompts,
  at: 0,
  request: null,
  ...(hasFailed && { hasFailed }),
});

const idsOf = (searches: readonly Search[], jobId: string | null): string[] =>
  shownWith(searches, jobId).map((each) => each.jobId);

describe("the searches that are shown together", () => {
  const first = search("1", ["person", "cat"]);
  const added = search("2", ["dog"]);

  it("are those for other words", () => {
    expect(idsOf([first, added], "2")).toEqual(["1", "2"]);
    expect(promptsOf(shownWith([first, added], "2"))).toEqual(["person", "cat", "dog"]);
  });

  it("have of each word the latest search", () => {
    const again = search("3", ["Cat "]);
    expect(idsOf([first, added, again], "3")).toEqual(["2", "3"]);
  });

  it("are those up to the shown one", () => {
    expect(idsOf([first, added], "1")).toEqual(["1"]);
    expect(idsOf([first, added], null)).toEqual([]);
    expect(idsOf([first, added], "unknown")).toEqual([]);
  });

  it("ignore a failed one, which takes nothing from others", () => {
    const failed = search("3", ["person"], true);
    expect(idsOf([first, failed], "3")).toEqual(["1"]);
    expect(idsOf([first, failed, added], "2")).toEqual(["1", "2"]);
  });

  it("leave the words that no search has requested", () => {
    expect(newPrompts(["person", "DOG", "bird"], [first, added])).toEqual(["bird"]);
  });
});
