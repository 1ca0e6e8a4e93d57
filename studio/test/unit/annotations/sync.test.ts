import { describe, expect, it } from "vitest";
import {
  type AnnotationsDocument,
  documentOf,
  fieldsOf,
  NO_ANNOTATIONS,
} from "../../../src/workspace/annotations/fields.ts";
import { type AnnotationState, fieldsOfState, withFields } from "../../../src/workspace/annotations/state.ts";
import { AnnotationSync, type Base, type Saved } from "../../../src/workspace/annotations/sync.ts";
import {
  changesOf,
  type Edit,
  type History,
  NO_EDITS,
  withEdit,
} from "../../../src/workspace/rules/edit-history.ts";

const TASKS = ["a.jpg", "b.jpg"];
const SEED = Number(process.env["SEED"] ?? 1);

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

  /** The answer to a save may get lost. */
  reach(isReached: () => boolean, losesAnswer: () => boolean) {
    const ask = async (): Promise<void> => {
      await Promise.resolve();
      if (!isReached()) throw new Error("There is no network.");
    };
    return {
      load: async () => {
        await ask();
        return this.saved;
      },
      save: async (document: AnnotationsDocument, version: number) => {
        await ask();
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
    histories: new Map(),
    hidden: new Set(),
    searches: [],
  };
  readonly sync: AnnotationSync;

  constructor(service: FakeService) {
    const copy = {
      base: null as Base | null,
      read: (base: Base["fields"]) => fieldsOfState(this.state, base, new Map()),
      change: (from: Base["fields"], to: Base["fields"]) =>
        void (this.state = withFields(this.state, from, to, 0)),
      prepare: async () => {},
      prompts: () => ["cup"],
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

  /** What a person sees. */
  get seen() {
    return {
      verdicts: Object.fromEntries([...this.state.verdicts].toSorted(([a], [b]) => a.localeCompare(b))),
      hidden: [...this.state.hidden].toSorted((a, b) => a.localeCompare(b)),
      objects: Object.fromEntries(
        TASKS.flatMap((taskId) => [...changesOf(this.state.histories.get(taskId) ?? NO_EDITS)]).toSorted(
          ([a], [b]) => a.localeCompare(b),
        ),
      ),
    };
  }
}

const LABELS = ["cup", "mug", "fork", "Bowl"];

/** Makes a random change; returns which field it changed and to what. */
function changeSomething(browser: Browser, random: (below: number) => number): [string, string] {
  const taskId = TASKS[random(2)] ?? "";
  const object = `job/${taskId}/${random(3)}`;
  switch (random(4)) {
    case 0: {
      const verdict = random(2) === 0 ? "accepted" : "rejected";
      browser.state = { ...browser.state, verdicts: new Map(browser.state.verdicts).set(taskId, verdict) };
      return [`verdict ${taskId}`, verdict];
    }
    case 1: {
      const hidden = new Set(browser.state.hidden);
      const isHidden = !hidden.delete(object);
      if (isHidden) hidden.add(object);
      browser.state = { ...browser.state, hidden };
      return [`hidden ${object}`, String(isHidden)];
    }
    case 2:
      browser.edit(taskId, { type: "delete", object });
      return [`deleted ${object}`, "true"];
    default: {
      const label = LABELS[random(LABELS.length)] ?? "";
      // A deleted object can't be renamed.
      if (changesOf(browser.state.histories.get(taskId) ?? NO_EDITS).get(object)?.deleted) return ["", ""];
      browser.edit(taskId, { type: "rename", object, label });
      return [`label ${object}`, label];
    }
  }
}

function valueOf({ seen }: Browser, field: string): string {
  const [what = "", name = ""] = field.split(" ");
  if (what === "verdict") return seen.verdicts[name] ?? "";
  if (what === "hidden") return String(seen.hidden.includes(name));
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
          const [field, value] = changeSomething(browser, random);
          if (field !== "") made.set(field, new Set([...(made.get(field) ?? []), value]));
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
        expect([...values], `run ${run}, ${field}`).toContain(valueOf(first, field));
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

  it("has one class for two names that differ in letter case alone", () => {
    const fields = fieldsOf({ ...document, tasks: [] });
    expect(documentOf(fields, ["chair", "CHAIR"]).classes).toEqual(document.classes);
  });
});
