import { computed, signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import { Painting } from "../../../src/screens/segment/state/painting.ts";
import type { Tool } from "../../../src/viewer/types.ts";
import type { Instance } from "../../../src/workspace/rules/instances.ts";
import { Owner } from "../../../src/workspace/service/owner.ts";
import { Workspace } from "../../../src/workspace/workspace.ts";

const found = (object: string, prompt: string | null): Instance => ({
  id: `mask of ${object}`,
  object,
  prompt,
  label: prompt,
  confidence: 1,
  number: 1,
  width: 100,
  height: 100,
  png: new Blob([]),
});

/** Paints a stroke among these objects. Returns the object that it changed, and the complaint. */
function paintedAmong(instances: readonly Instance[], mask: string | null) {
  const workspace = new Workspace(new Owner("account"));
  const sending = { at: "sent", taskId: "a.png" } as const;
  workspace.pictures.value = [{ key: "a", name: "a.png", file: null, address: null, sending }];
  const complaint = signal<string | null>(null);
  const painting = new Painting({
    workspace,
    instances: computed(() => instances),
    tool: signal<Tool>("brush"),
    complaint,
  });
  painting.paint([1, 1, 2, 2], mask);
  const [step] = workspace.edits.value.get("a")?.done ?? [];
  return { changed: step?.edit.type === "paint" ? step.edit.object : null, complaint: complaint.value };
}

describe("a stroke", () => {
  const [cup, spoon, plate] = [found("cup", "cup"), found("spoon", "spoon"), found("plate", null)];

  it("is for the object that it begins on, or next to them for the only one, or for the last that was pointed at", () => {
    expect(paintedAmong([cup, spoon], spoon.id).changed).toBe("spoon");
    expect(paintedAmong([cup], null).changed).toBe("cup");
    expect(paintedAmong([plate, cup, spoon], null).changed).toBe("plate");
  });

  it("changes nothing where it may be for several, and says what to do", () => {
    const { changed, complaint } = paintedAmong([cup, spoon], null);
    expect(changed).toBeNull();
    expect(complaint).toContain("Start on an object");
  });
});
