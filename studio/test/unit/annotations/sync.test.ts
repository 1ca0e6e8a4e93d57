import { withoutCase } from "@segmentation/masks";
import { SegmentationError } from "segmentation-client";
import { describe, expect, it } from "vitest";
import { changesOf, type Edit, NO_EDITS } from "../../../src/workspace/rules/edit-history.ts";
import { Browser, FakeService, TASKS, tick } from "./fake-service.ts";

/** Of one prompt, or of all. */
const LEASTS = [null, "cup"];
const SEED = Number(process.env["SEED"] ?? 1);

/** Random numbers of a seed. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
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
      browser.edit(taskId, { type: "least", prompt, least, at: tick() });
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
  it("end the same in both, with the latest change of every field", async () => {
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

  it("are sent again after a failure for another reason", async () => {
    const { service, browser } = await refused(refusal(429, "rate_limited"));
    service.refusal = null;
    await browser.sync.save();
    expect(browser.sync.state.value.at).toBe("saved");
  });

  it("are no longer requested once their job is deleted", async () => {
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
    one.edit("b.jpg", { type: "least", prompt: "cup", least: 0.4, at: tick() });
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
  it("is fetched once for all that wait for it", async () => {
    const service = new FakeService();
    const browser = new Browser(service);
    await Promise.all(Array.from({ length: 9 }, () => browser.sync.sync()));
    expect(service.requests).toBe(1);
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
