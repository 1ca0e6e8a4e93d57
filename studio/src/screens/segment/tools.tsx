import { useEffect } from "preact/hooks";
import { Icon, type IconName } from "../../components/button.tsx";
import type { Tool } from "../../viewer/types.ts";
import { model } from "../../work/model.ts";
import { undo } from "../../work/point.ts";
import type { Look } from "./look.ts";
import "./tools.css";

const TOOLS: Readonly<
  Record<Tool, { readonly icon: IconName; readonly name: string; readonly hint: string }>
> = {
  pan: { icon: "hand", name: "Move", hint: "Drag to move, scroll or pinch to zoom." },
  point: { icon: "point", name: "Point", hint: "Click an object, or drag a box around it: 1 unit each." },
  add: { icon: "plus", name: "Add part", hint: "Click another part of the object." },
  remove: { icon: "minus", name: "Remove part", hint: "Click what doesn’t belong to the object." },
};

const isTouch = matchMedia("(pointer: coarse)").matches;

/** What the tool of now does, and the keys that go with it. */
function hintOf(tool: Tool, canRefine: boolean): string {
  if (isTouch)
    return tool === "pan"
      ? "Drag to move, pinch to zoom."
      : `${TOOLS[tool].hint.replaceAll("Click", "Tap")} Two fingers move the picture.`;
  if (tool !== "point") return TOOLS[tool].hint;
  const refine = canRefine ? " Shift-click adds a part, Alt-click removes one." : "";
  return `${TOOLS.point.hint}${refine} Keys: arrows, Enter for a point, B for a box.`;
}

/** What the pointer does on the picture, and undo. */
export function Tools({ look }: { readonly look: Look }) {
  const { work } = look;
  const { box = true, points = true } = model.value?.regions ?? {};
  const canPoint = box || points;
  const key = work.openPicture.value?.key;
  const latest = work.pointed.value.findLast(({ picture }) => picture === key);
  const canRefine = look.drafts.value.some((region) => "points" in region);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isUndo = event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.shiftKey;
      if (!isUndo || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      undo(work);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [work]);
  useEffect(() => {
    if (!canPoint) look.tool.value = "pan";
    else if (!canRefine && (look.tool.value === "add" || look.tool.value === "remove"))
      look.tool.value = "point";
  }, [canPoint, canRefine]);
  if (!canPoint) return null;
  const offered: readonly Tool[] = canRefine ? ["pan", "point", "add", "remove"] : ["pan", "point"];
  return (
    <>
      <div class="tools" role="toolbar" aria-label="Pointer">
        {offered.map((tool) => (
          <button
            key={tool}
            type="button"
            aria-pressed={look.tool.value === tool}
            onClick={() => (look.tool.value = tool)}
          >
            <Icon name={TOOLS[tool].icon} size={18} />
            {TOOLS[tool].name}
          </button>
        ))}
        {latest !== undefined && (
          <button type="button" class="tools-undo" title="Ctrl+Z" onClick={() => undo(work)}>
            <Icon name="undo" size={18} />
            Undo
          </button>
        )}
      </div>
      <p class="tools-hint">{hintOf(look.tool.value, canRefine)}</p>
    </>
  );
}
