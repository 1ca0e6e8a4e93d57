import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { ClassList } from "../../../src/screens/segment/state/class-list.ts";
import type { Instance } from "../../../src/workspace/rules/instances.ts";
import { pictureOfTask } from "../../../src/workspace/rules/picture.ts";
import type { Search } from "../../../src/workspace/rules/searches.ts";

const instance = (label: string): Instance => ({
  id: label,
  object: label,
  prompt: null,
  label,
  confidence: 1,
  number: 1,
  width: 1,
  height: 1,
  png: new Blob([]),
});

function listed(classes: readonly string[] = []) {
  const workspace = {
    classes: signal(classes),
    searches: signal<readonly Search[]>([{ jobId: "job", prompts: ["cup", "fork"], at: 0, request: null }]),
    pictures: signal(["a.jpg", "b.jpg"].map((taskId) => pictureOfTask(taskId, null))),
    instances: signal<ReadonlyMap<string, readonly Instance[]>>(new Map()),
    drawn: signal<ReadonlyMap<number, Instance>>(new Map()),
  };
  return { workspace, list: new ClassList({ workspace, labels: signal(["cup", "fork"]) }) };
}

describe("the classes of an entry", () => {
  it("have their numbers from the first name on, after the prompts", () => {
    const { workspace, list } = listed();
    expect(list.take("tray")).toBe("tray");
    expect(list.take("bowl")).toBe("bowl");
    expect(workspace.classes.value).toEqual(["cup", "fork", "tray", "bowl"]);
  });

  it("are one for names that differ by case or spaces alone, also before an object has it", () => {
    const { workspace, list } = listed();
    list.take("Arm chair");
    expect(list.take("arm  CHAIR")).toBe("Arm chair");
    expect(list.take("CUP")).toBe("cup");
    expect(workspace.classes.value).toEqual(["cup", "fork", "Arm chair"]);
  });

  it("leave the number of a deleted class empty", () => {
    const { workspace, list } = listed(["cup", "", "fork"]);
    list.take("tray");
    expect(workspace.classes.value).toEqual(["cup", "", "fork", "tray"]);
    expect(list.names.value).toEqual(["cup", "fork", "tray"]);
  });

  it("are those of all pictures, in the order of the pictures", () => {
    const { workspace, list } = listed();
    workspace.instances.value = new Map([
      ["b.jpg", [instance("bed")]],
      ["a.jpg", [instance("arm")]],
    ]);
    workspace.drawn.value = new Map([[1, instance("cat")]]);
    expect(list.names.value).toEqual(["cup", "fork", "arm", "bed", "cat"]);
  });
});
