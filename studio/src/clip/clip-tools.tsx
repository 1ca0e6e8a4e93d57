import { useEffect } from "preact/hooks";
import { Icon, type IconName } from "../components/button.tsx";
import { isTyping } from "../state/typing.ts";
import type { PointingTool } from "../viewer/types.ts";
import type { ClipPointing } from "./clip-pointing.ts";
import { type ClipObject, nameOf } from "./objects.ts";
import "../screens/segment/tools.css";

type ClipTool = "pan" | PointingTool;

const TOOLS: Readonly<
  Record<ClipTool, { readonly icon: IconName; readonly name: string; readonly key: string }>
> = {
  pan: { icon: "hand", name: "Move", key: "v" },
  point: { icon: "point", name: "Point", key: "p" },
  add: { icon: "plus", name: "Add part", key: "" },
  remove: { icon: "minus", name: "Remove part", key: "" },
};

interface ClipToolsProps {
  readonly pointing: ClipPointing;
  /** The object that further points are of; undefined if there is none. */
  readonly target: ClipObject | undefined;
}

/** What the pointer does in the clip, and undo. */
export function ClipTools({ pointing, target }: ClipToolsProps) {
  const offered: readonly ClipTool[] =
    target === undefined ? ["pan", "point"] : ["pan", "point", "add", "remove"];
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event) || event.altKey) return;
      const key = event.key.toLowerCase();
      const isUndo = (event.ctrlKey || event.metaKey) && key === "z" && !event.shiftKey;
      const tool = offered.find((each) => TOOLS[each].key === key);
      if (isUndo) pointing.undo();
      else if (tool !== undefined && !event.ctrlKey && !event.metaKey) pointing.choose(tool);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [pointing, offered.length]);
  useEffect(() => {
    if (!offered.includes(pointing.tool.value)) pointing.choose("point");
  }, [offered.length]);
  return (
    <div class="clip-tools">
      <div class="tools" role="toolbar" aria-label="Pointer">
        {offered.map((tool) => (
          <button
            key={tool}
            type="button"
            aria-pressed={pointing.tool.value === tool}
            onClick={() => pointing.choose(tool)}
          >
            <Icon name={TOOLS[tool].icon} size={18} />
            {TOOLS[tool].name}
          </button>
        ))}
        {pointing.canUndo.value && (
          <button type="button" class="tools-undo" title="Ctrl+Z" onClick={() => pointing.undo()}>
            <Icon name="undo" size={18} />
            Undo
          </button>
        )}
      </div>
      <p class="clip-hint" role="status">
        {pointing.complaint.value ?? hintOf(pointing.tool.value, target)}
      </p>
    </div>
  );
}

const isTouch = matchMedia("(pointer: coarse)").matches;

/** What the tool of now does. */
function hintOf(tool: ClipTool, target: ClipObject | undefined): string {
  const click = isTouch ? "Tap" : "Click";
  const keys = isTouch ? "" : " Keys: , and . for frames; arrows, Enter, B.";
  if (tool === "pan") return "Choose Point to follow an object that no prompt has to name.";
  if (tool === "point" || target === undefined)
    return `${click} an object in any frame, or drag a box around it: it is followed both ways.${keys}`;
  return tool === "add"
    ? `${click} ${nameOf(target)} where it is wrong or lost, or drag a box around it.${keys}`
    : `${click} what doesn’t belong to ${nameOf(target)}.${keys}`;
}
