import { describe, expect, it } from "vitest";
import { Browser, FakeService, PROMPTS } from "./fake-service.ts";

describe("an object that two browsers name", () => {
  it("has one class despite two spellings, and is saved once", async () => {
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

  it("have the same numbers in the browser that named them as in the document, in any order", async () => {
    const service = new FakeService();
    const browser = new Browser(service);
    for (const [taskId, label] of [
      ["b.jpg", "radiator"],
      ["a.jpg", "chair"],
    ] as const) {
      browser.edit(taskId, { type: "rename", object: `job/${taskId}/0`, label });
      await browser.sync.save();
    }
    expect(browser.state.classes).toEqual([...PROMPTS, "radiator", "chair"]);
    expect(service.saved.document.classes.map(({ name }) => name)).toEqual(browser.state.classes);
    expect(service.saves).toBe(2);
  });
});
