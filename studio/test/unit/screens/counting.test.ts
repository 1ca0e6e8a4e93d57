import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { Counting } from "../../../src/screens/segment/state/counting.ts";
import {
  edited,
  type Edit,
  type History,
  NO_EDITS,
  withEdit,
} from "../../../src/workspace/rules/edit-history.ts";
import type { Filter, Instance } from "../../../src/workspace/rules/instances.ts";
import { pictureOfTask } from "../../../src/workspace/rules/picture.ts";
import { Found } from "../../../src/workspace/service/found.ts";

const CONFIDENCES = [0.9, 0.6, 0.3];
const [FIRST, SECOND] = [pictureOfTask("a.jpg", null), pictureOfTask("b.jpg", null)];
const PICTURES = [FIRST, SECOND];

/** The objects that a search found in a picture: cups, and at last a fork. */
const foundIn = (taskId: string): readonly Instance[] =>
  CONFIDENCES.map((confidence, i) => {
    const prompt = i < 2 ? "cup" : "fork";
    const id = `job/${taskId}/${i}`;
    return {
      id,
      object: id,
      prompt,
      label: prompt,
      confidence,
      number: 1,
      width: 1,
      height: 1,
      png: new Blob([]),
    };
  });

/** Counts of two pictures, of which the masks of those named are fetched. */
function counting({
  fetched = [] as readonly string[],
  edits = [] as readonly Edit[],
  ...news
}: Partial<Filter> & { fetched?: readonly string[]; edits?: readonly Edit[] } = {}) {
  const filter: Filter = { least: 0, leasts: new Map(), hidden: new Set(), ...news };
  const history = edits.reduce<History>((before, edit) => withEdit(before, edit, 0), NO_EDITS);
  const histories = new Map([["a.jpg", history]]);
  const instances = new Map(fetched.map((taskId) => [taskId, foundIn(taskId)]));
  const found = Object.assign(new Found([]), {
    confidences: new Map(PICTURES.map(({ key }) => [key, CONFIDENCES])),
  });
  return new Counting({
    workspace: {
      pictures: signal(PICTURES),
      instances: signal(instances),
      found: signal(found),
      edits: signal(histories),
    },
    filter: signal(filter),
    // A method, as of the view state.
    objectsIn(key) {
      const { value } = this.workspace.instances;
      return edited(value.get(key) ?? [], histories.get(key) ?? NO_EDITS).map(({ instance }) => instance);
    },
  });
}

/** Work of people that changes what is counted in the first picture. */
const WORK: readonly (readonly [
  what: string,
  work: Parameters<typeof counting>[0],
  shown: number,
  least: number,
])[] = [
  ["a deleted object", { edits: [{ type: "delete", object: "job/a.jpg/2" }] }, 2, 0.6],
  ["a hidden object", { hidden: new Set(["job/a.jpg/2"]) }, 2, 0.6],
  ["an accepted object", { least: 0.5, accepted: new Set(["job/a.jpg/2"]) }, 3, 0.3],
  ["a threshold of one prompt", { leasts: new Map([["cup", 0.8]]) }, 2, 0.3],
];

describe("the objects of a picture", () => {
  it("are counted by their confidences before their masks are fetched", () => {
    const counts = counting({ least: 0.5 });
    expect(PICTURES.map((picture) => counts.in(picture, "shown"))).toEqual([2, 2]);
    expect(counts.in(FIRST, "all")).toBe(3);
    expect(counts.leastSureIn(FIRST)).toBe(0.6);
    expect(counts.unknown.value.size).toBe(0);
  });

  it.each(WORK)(
    "are not counted without their masks after %s, and rightly with them",
    (_, work, shown, least) => {
      const before = counting(work);
      expect(before.unknown.value.has("a.jpg")).toBe(true);
      expect([before.in(FIRST, "shown"), before.leastSureIn(FIRST)]).toEqual([null, null]);
      const after = counting({ ...work, fetched: ["a.jpg"] });
      expect(after.unknown.value.has("a.jpg")).toBe(false);
      expect([after.in(FIRST, "shown"), after.leastSureIn(FIRST)]).toEqual([shown, least]);
    },
  );

  it("are counted in other pictures as before", () => {
    const counts = counting({ edits: [{ type: "delete", object: "job/a.jpg/2" }] });
    expect(counts.in(SECOND, "shown")).toBe(3);
  });

  it("are as many over all pictures as in each of them", () => {
    const counts = counting({ least: 0.5, leasts: new Map([[null, 0.5]]), fetched: ["a.jpg"] });
    const all = counts.areConfident(PICTURES);
    expect(all).toHaveLength(6);
    expect(all).toEqual(PICTURES.flatMap((picture) => counts.areConfident([picture])));
    expect(all.filter(Boolean)).toHaveLength(4);
  });
});
