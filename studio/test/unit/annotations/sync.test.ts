import { withoutCase } from "@segmentation/masks";
import { SegmentationError } from "segmentation-client";
import { describe, expect, it } from "vitest";
import {
  type AnnotationsDocument,
  documentOf,
  fieldsOf,
  NO_ANNOTATIONS,
} from "../../../src/workspace/annotations/fields.ts";
import { type AnnotationState, fieldsOfState, withFields } from "../../../src/workspace/annotations/state.ts";
import {
  AnnotationSync,
  baseFor,
  type Copy,
  type JobBase,
  type Saved,
} from "../../../src/workspace/annotations/sync.ts";
import {
  changesOf,
  type Edit,
  type History,
  leastsOf,
  NO_EDITS,
  undo,
  withEdit,
} from "../../../src/workspace/rules/edit-history.ts";

const TASKS = ["a.jpg", "b.jpg"];
const PROMPTS = ["cup", "fork"];
/** Of one prompt, or of all. */
const LEASTS = [null, "cup"];
const SEED = Number(process.env["SEED"] ?? 1);
/** Time of the last edit. */
let now = 0;

/** Random numbers of a seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A service that keeps one document, and is reached or not. */
class FakeService {
  saved: Saved = { version: 0, document: NO_ANNOTATIONS };
  saves = 0;
  requests = 0;
  /** Refuses every document, or knows no such job. */
  refusal: SegmentationError | null = null;

  /** The answer to a save may get lost. */
  reach(isReached: () => boolean, losesAnswer: () => boolean) {
    const ask = async (): Promise<void> => {
      await Promise.resolve();
      if (!isReached()) throw new Error("There is no network.");
      this.requests += 1;
      if (this.refusal?.status === 404) throw this.refusal;
    };
    return {
      load: async () => {
        await ask();
        return this.saved;
      },
      save: async (document: AnnotationsDocument, version: number) => {
        await ask();
        if (this.refusal !== null) throw this.refusal;
        const isRepeated = JSON.stringify(document) === JSON.stringify(this.saved.document);
        if (isRepeated && version >= this.saved.version - 1) return this.saved.version;
        if (version !== this.saved.version) return null;
        if (document.nextClassId < this.saved.document.nextClassId) throw new Error("Ids were given twice.");
        if (new Set(document.classes.map(({ id }) => id)).size < document.classes.length)
          throw new Error("Two classes have one id.");
        this.saved = { version: version + 1, document };
        this.saves += 1;
        if (losesAnswer()) throw new Error("The answer was lost.");
        return version + 1;
      },
    };
  }
}

/** A browser, or a tab of one, with its copy. */
class Browser {
  isOnline = true;
  losesAnswers = false;
  state: AnnotationState = {
    fileNames: new Map(TASKS.map((taskId) => [taskId, ""])),
    verdicts: new Map(),
    notes: new Map(),
    accepted: new Set(),
    histories: new Map(),
    hidden: new Set(),
    searches: [],
    classes: [],
  };
  readonly sync: AnnotationSync;

  constructor(service: FakeService) {
    let saved: JobBase | null = null;
    const tasks = () => [...this.state.fileNames.keys()];
    const copy: Copy = {
      get base() {
        return baseFor(saved, "job", tasks());
      },
      set base(base) {
        saved = base && { ...base, jobId: "job", tasks: tasks() };
      },
      read: (base) => fieldsOfState(this.state, base, new Map()),
      change: (from, to) => void (this.state = withFields(this.state, from, to, ++now)),
      prepare: async () => {},
      prompts: () => PROMPTS,
    };
    this.sync = new AnnotationSync(
      copy,
      service.reach(
        () => this.isOnline,
        () => this.losesAnswers,
      ),
    );
  }

  edit(taskId: string, edit: Edit): void {
    const history: History = withEdit(this.state.histories.get(taskId) ?? NO_EDITS, edit, 0);
    this.state = { ...this.state, histories: new Map(this.state.histories).set(taskId, history) };
  }

  /** Returns the edit that is undone. */
  undo(taskId: string): Edit | undefined {
    const history = undo(this.state.histories.get(taskId) ?? NO_EDITS);
    this.state = { ...this.state, histories: new Map(this.state.histories).set(taskId, history) };
    return history.undone.at(-1)?.edit;
  }

  /** The state that a person sees. */
  get seen() {
    return {
      verdicts: Object.fromEntries([...this.state.verdicts].toSorted(([a], [b]) => a.localeCompare(b))),
      notes: Object.fromEntries([...this.state.notes].toSorted(([a], [b]) => a.localeCompare(b))),
      hidden: [...this.state.hidden].toSorted((a, b) => a.localeCompare(b)),
      accepted: [...this.state.accepted].toSorted((a, b) => a.localeCompare(b)),
      leasts: Object.fromEntries(
        [...leastsOf(this.state.histories.values())]
          .map(([prompt, least]) => [String(prompt), least] as const)
          .toSorted(([a], [b]) => a.localeCompare(b)),
      ),
      objects: Object.fromEntries(
        TASKS.flatMap((taskId) => [...changesOf(this.state.histories.get(taskId) ?? NO_EDITS)]).toSorted(
          ([a], [b]) => a.localeCompare(b),
        ),
      ),
    };
  }
}

const LABELS = ["cup", "mug", "fork", "Bowl", "bowl"];

type Made = readonly (readonly [field: string, value: string])[];

/** Makes a random change; returns which fields it changed and to what. */
function changeSomething(browser: Browser, random: (below: number) => number): Made {
  const taskId = TASKS[random(2)] ?? "";
  const object = `job/${taskId}/${random(3)}`;
  switch (random(7)) {
    case 0: {
      const verdict = random(2) === 0 ? "accepted" : "rejected";
      browser.state = { ...browser.state, verdicts: new Map(browser.state.verdicts).set(taskId, verdict) };
      return [[`verdict ${taskId}`, verdict]];
    }
    case 1: {
      const field = random(2) === 0 ? ("hidden" as const) : ("accepted" as const);
      const marked = new Set(browser.state[field]);
      const isMarked = !marked.delete(object);
      if (isMarked) marked.add(object);
      browser.state = { ...browser.state, [field]: marked };
      return [[`${field} ${object}`, String(isMarked)]];
    }
    case 2:
      browser.edit(taskId, { type: "delete", object });
      return [[`deleted ${object}`, "true"]];
    case 3: {
      const prompt = LEASTS[random(LEASTS.length)] ?? null;
      const least = random(10) / 10;
      browser.edit(taskId, { type: "least", prompt, least, at: ++now });
      return [[`least ${prompt}`, String(least)]];
    }
    case 4: {
      const note = `note ${random(9)}`;
      browser.state = { ...browser.state, notes: new Map(browser.state.notes).set(taskId, note) };
      return [[`note ${taskId}`, note]];
    }
    case 5:
      return fieldsOfUndone(browser.undo(taskId));
    default: {
      const label = LABELS[random(LABELS.length)] ?? "";
      // A deleted object can't be renamed.
      if (changesOf(browser.state.histories.get(taskId) ?? NO_EDITS).get(object)?.deleted) return [];
      browser.edit(taskId, { type: "rename", object, label });
      return [[`label ${object}`, label]];
    }
  }
}

/** Returns the fields of an edit that was undone, and their values without edits. */
function fieldsOfUndone(edit: Edit | undefined): Made {
  if (edit === undefined) return [];
  if (edit.type === "least") return [[`least ${edit.prompt}`, ""]];
  return "object" in edit
    ? [
        [`label ${edit.object}`, ""],
        [`deleted ${edit.object}`, "false"],
      ]
    : [];
}

function valueOf({ seen }: Browser, field: string): string {
  const [what = "", name = ""] = field.split(" ");
  if (what === "verdict") return seen.verdicts[name] ?? "";
  if (what === "note") return seen.notes[name] ?? "";
  if (what === "hidden" || what === "accepted") return String(seen[what].includes(name));
  if (what === "least") return String(seen.leasts[name] ?? "");
  const object = seen.objects[name];
  return what === "deleted" ? String(object?.deleted ?? false) : (object?.label ?? "");
}

describe("annotations in two browsers", () => {
  it("end the same in both, with every change that no later one of the same field overrode", async () => {
    console.log(`SEED=${SEED}`);
    for (let run = 0; run < 200; run++) {
      const random = randomOf(SEED + run);
      const service = new FakeService();
      const browsers = [new Browser(service), new Browser(service), new Browser(service)];
      const made = new Map<string, Set<string>>();
      const pending: Promise<void>[] = [];
      for (let step = 0; step < 40; step++) {
        const browser = browsers[random(browsers.length)];
        if (browser === undefined) continue;
        const action = random(10);
        if (action < 6) {
          for (const [field, value] of changeSomething(browser, random))
            made.set(field, new Set([...(made.get(field) ?? []), value]));
        } else if (action < 7) browser.isOnline = !browser.isOnline;
        else if (action < 8) browser.losesAnswers = !browser.losesAnswers;
        // Some end at once, some meet others under way.
        else if (random(2) === 0) await browser.sync.sync();
        else pending.push(browser.sync.save());
      }
      await Promise.all(pending);
      for (const browser of browsers) Object.assign(browser, { isOnline: true, losesAnswers: false });
      for (const browser of [...browsers, ...browsers]) await browser.sync.sync();
      const [first, ...others] = browsers;
      if (first === undefined) return;
      for (const other of others) expect(other.seen, `run ${run}`).toEqual(first.seen);
      for (const [field, values] of made)
        expect([...values].map(withoutCase), `run ${run}, ${field}`).toContain(
          withoutCase(valueOf(first, field)),
        );
      const { saves } = service;
      for (const browser of browsers) await browser.sync.sync();
      expect(service.saves).toBe(saves);
    }
  });

  it("keep a change that was made while another one was being saved", async () => {
    const service = new FakeService();
    const [one, two] = [new Browser(service), new Browser(service)];
    one.edit("a.jpg", { type: "rename", object: "job/a.jpg/0", label: "mug" });
    const saving = one.sync.save();
    one.edit("a.jpg", { type: "rename", object: "job/a.jpg/1", label: "fork" });
    two.edit("a.jpg", { type: "delete", object: "job/a.jpg/2" });
    await Promise.all([saving, two.sync.save()]);
    await one.sync.sync();
    expect(one.seen.objects).toEqual({
      "job/a.jpg/0": { label: "mug" },
      "job/a.jpg/1": { label: "fork" },
      "job/a.jpg/2": { deleted: true },
    });
  });

  it("report why they are not saved, and are saved once the service is back", async () => {
    const service = new FakeService();
    const browser = new Browser(service);
    browser.isOnline = false;
    browser.edit("a.jpg", { type: "delete", object: "job/a.jpg/0" });
    await browser.sync.sync();
    expect(browser.sync.state.value).toMatchObject({ at: "failed", hasChanges: true });
    browser.isOnline = true;
    await browser.sync.sync();
    expect(browser.sync.state.value.at).toBe("saved");
    expect(service.saved.document.tasks).toEqual([
      { taskId: "a.jpg", objects: [{ id: "job/0", deleted: true }] },
    ]);
  });
});

describe("an object that two browsers name", () => {
  it("has one class, though they spell it in two ways, and is saved once", async () => {
    const service = new FakeService();
    const [one, two] = [new Browser(service), new Browser(service)];
    one.edit("a.jpg", { type: "rename", object: "job/a.jpg/0", label: "Bowl" });
    two.edit("a.jpg", { type: "rename", object: "job/a.jpg/1", label: "bowl" });
    await one.sync.sync();
    await two.sync.sync();
    await one.sync.sync();
    expect(service.saves).toBe(2);
    for (const { seen } of [one, two])
      expect(seen.objects).toEqual({ "job/a.jpg/0": { label: "Bowl" }, "job/a.jpg/1": { label: "Bowl" } });
  });
});

describe("annotations that the service refuses", () => {
  const refusal = (status: number, code: "body_too_large" | "job_not_found" | "rate_limited") =>
    new SegmentationError(code, "Refused.", { status });

  /** A browser with a change that was refused. */
  async function refused(error: SegmentationError) {
    const service = new FakeService();
    const browser = new Browser(service);
    await browser.sync.sync();
    service.refusal = error;
    browser.edit("a.jpg", { type: "delete", object: "job/a.jpg/0" });
    await browser.sync.save();
    service.requests = 0;
    return { service, browser };
  }

  it("are sent again only once they have changed", async () => {
    const { service, browser } = await refused(refusal(413, "body_too_large"));
    await browser.sync.save();
    expect(browser.sync.state.value).toMatchObject({ at: "failed", hasChanges: true });
    expect(service.requests).toBe(0);
    service.refusal = null;
    browser.edit("a.jpg", { type: "delete", object: "job/a.jpg/1" });
    await browser.sync.save();
    expect(browser.sync.state.value.at).toBe("saved");
  });

  it("are sent again if that was for another reason", async () => {
    const { service, browser } = await refused(refusal(429, "rate_limited"));
    service.refusal = null;
    await browser.sync.save();
    expect(browser.sync.state.value.at).toBe("saved");
  });

  it("are asked for no more once their job is deleted", async () => {
    const { service, browser } = await refused(refusal(404, "job_not_found"));
    browser.edit("a.jpg", { type: "delete", object: "job/a.jpg/1" });
    browser.sync.note();
    await browser.sync.sync();
    expect(browser.sync.state.value.at).toBe("gone");
    expect(service.requests).toBe(0);
  });
});

describe("annotations of pictures that a browser knows later", () => {
  it("are not deleted by it", async () => {
    const service = new FakeService();
    const [one, two] = [new Browser(service), new Browser(service)];
    one.state = { ...one.state, verdicts: new Map([["a.jpg", "accepted"]]) };
    one.edit("b.jpg", { type: "rename", object: "job/b.jpg/0", label: "mug" });
    one.edit("b.jpg", { type: "least", prompt: "cup", least: 0.4, at: ++now });
    await one.sync.sync();
    const { fileNames } = two.state;
    for (const known of [[], ["a.jpg"], TASKS]) {
      two.state = { ...two.state, fileNames: new Map([...fileNames].filter(([key]) => known.includes(key))) };
      await two.sync.sync();
    }
    expect(two.seen).toEqual(one.seen);
    expect(service.saves).toBe(1);
  });
});

describe("a call to the service", () => {
  it("is made once for all that wait for it", async () => {
    const service = new FakeService();
    const browser = new Browser(service);
    await Promise.all(Array.from({ length: 9 }, () => browser.sync.sync()));
    expect(service.requests).toBe(1);
  });
});

describe("the mask of an edited object", () => {
  const object = "job/a.jpg/0";
  const shapeKey = JSON.stringify(["object", "a.jpg", "job/0", "shape"]);
  const strokes = (points: readonly number[]): Edit => ({
    type: "paint",
    object,
    stroke: { mode: "brush", radius: 1, points },
  });
  const mask = { size: [1, 2], counts: "02" } as const;
  const shapesOf = (browser: Browser) => {
    const recipe = JSON.stringify(
      changesOf(browser.state.histories.get("a.jpg") ?? NO_EDITS).get(object)?.composition,
    );
    return new Map([[recipe, mask]]);
  };

  it("is added to a recipe that was saved without it", () => {
    const browser = new Browser(new FakeService());
    browser.edit("a.jpg", strokes([1, 1]));
    const base = fieldsOfState(browser.state, fieldsOf(NO_ANNOTATIONS), new Map());
    const after = fieldsOfState(browser.state, base, shapesOf(browser));
    expect(JSON.parse(after.get(shapeKey) ?? "")).toMatchObject({ mask });
    // Without the mask, as after a reload, nothing differs.
    expect(fieldsOfState(browser.state, after, new Map())).toEqual(after);
  });

  it("stays while it can't be composed, if its recipe is too long to be saved", () => {
    const browser = new Browser(new FakeService());
    browser.edit("a.jpg", strokes(Array.from({ length: 40_000 }, () => 1)));
    const saved = fieldsOfState(browser.state, fieldsOf(NO_ANNOTATIONS), shapesOf(browser));
    expect(JSON.parse(saved.get(shapeKey) ?? "")).toEqual({ mask });
    expect(fieldsOfState(browser.state, saved, new Map())).toEqual(saved);
  });
});

describe("classes that were exported", () => {
  it("have the same numbers in every browser and in the document", async () => {
    const service = new FakeService();
    const [exporter, other] = [new Browser(service), new Browser(service)];
    await exporter.sync.sync();
    const exported = [...PROMPTS, "tray", "spoon"];
    exporter.state = { ...exporter.state, classes: exported };
    await exporter.sync.save();
    expect(service.saved.document.classes).toEqual(exported.map((name, i) => ({ id: i + 1, name })));
    await other.sync.sync();
    expect(other.state.classes).toEqual(exported);

    other.state = { ...other.state, classes: [...exported, "saucer"] };
    await other.sync.save();
    await exporter.sync.sync();
    expect(exporter.state.classes).toEqual([...exported, "saucer"]);
    expect(service.saved.document.classes.at(-1)).toEqual({ id: exported.length + 1, name: "saucer" });
  });

  it("keep their numbers when a program deletes one, and no later one gets its number", async () => {
    const service = new FakeService();
    const browser = new Browser(service);
    browser.state = { ...browser.state, classes: ["cup", "fork", "spoon"] };
    await browser.sync.save();
    const { version, document } = service.saved;
    const left = document.classes.filter(({ name }) => name !== "fork" && name !== "spoon");
    service.saved = { version: version + 1, document: { ...document, classes: left } };
    await browser.sync.sync();
    expect(browser.state.classes).toEqual(["cup", "", ""]);
    browser.state = { ...browser.state, classes: [...browser.state.classes, "plate"] };
    await browser.sync.save();
    expect(service.saved.document.classes.map(({ id, name }) => [id, name])).toEqual([
      [1, "cup"],
      [4, "plate"],
      // It is a prompt.
      [5, "fork"],
    ]);
  });

  it("are numbered once where two browsers export at the same time", async () => {
    const service = new FakeService();
    const browsers = [new Browser(service), new Browser(service)];
    for (const { sync } of browsers) await sync.sync();
    for (const [i, browser] of browsers.entries())
      browser.state = { ...browser.state, classes: [...PROMPTS, `made-${i}`] };
    for (const { sync } of browsers) await sync.save();
    for (const { sync } of browsers) await sync.sync();
    const names = [...PROMPTS, "made-0", "made-1"];
    expect(browsers.map(({ state }) => state.classes)).toEqual([names, names]);
    expect(service.saved.document.classes.map(({ id }) => id)).toEqual(names.map((_, i) => i + 1));
  });
});

describe("annotations that only others have changed", () => {
  it("are not called unsaved when the service can't be reached", async () => {
    const browser = new Browser(new FakeService());
    await browser.sync.sync();
    browser.isOnline = false;
    await browser.sync.sync();
    expect(browser.sync.state.value).toMatchObject({ at: "failed", hasChanges: false });
  });
});

describe("an annotations document", () => {
  const document: AnnotationsDocument = {
    format: 1,
    classes: [
      { id: 3, name: "Chair", color: "#1b9e77", key: 1 },
      { id: 1, name: "cup" },
    ],
    nextClassId: 7,
    searches: ["job_b"],
    thresholds: [{ least: 0.2 }, { prompt: "cup", least: 0.5 }],
    tasks: [
      {
        taskId: "a.jpg",
        fileName: "hall.jpg",
        width: 2,
        height: 1,
        verdict: "accepted",
        note: "again",
        thresholds: [{ prompt: "cup", least: 0.7 }],
        objects: [
          { id: "job/0", classId: 3, hidden: true, accepted: true },
          { id: "mine", mask: { size: [1, 2], counts: "02" }, recipe: "?" },
        ],
      },
    ],
  };

  it("is the same after it was taken apart and put together", () => {
    expect(documentOf(fieldsOf(document), ["CUP"])).toEqual(document);
  });

  it("keeps what the studio does not show, and the ids of its classes", () => {
    const fields = fieldsOf(document);
    const state = withFields(new Browser(new FakeService()).state, fieldsOf(NO_ANNOTATIONS), fields, 1);
    expect(documentOf(fieldsOfState(state, fields, new Map()), []).classes).toEqual(document.classes);
    const again = documentOf(fieldsOfState(state, fields, new Map()), ["bottle"]);
    expect(again.classes.at(-1)).toEqual({ id: 7, name: "bottle" });
    expect(again.tasks).toEqual(document.tasks);
  });

  it("has no class for a prompt that is too long for a name", () => {
    expect(documentOf(fieldsOf(NO_ANNOTATIONS), ["a".repeat(101), "cup"]).classes).toEqual([
      { id: 1, name: "cup" },
    ]);
  });

  it("has one class for two names that differ in letter case alone", () => {
    const fields = fieldsOf({ ...document, tasks: [] });
    expect(documentOf(fields, ["chair", "CHAIR"]).classes).toEqual(document.classes);
  });
});
