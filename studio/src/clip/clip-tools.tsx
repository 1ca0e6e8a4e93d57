import { useEffect } from "preact/hooks";
import { isTouch, RedoButton, ToolButtons, UndoButton } from "../components/controls/toolbar.tsx";
import { useShortcuts } from "../state/use-shortcuts.ts";
import type { PointingTool } from "../viewer/types.ts";
import type { ClipPointing } from "./clip-pointing.ts";
import { type ClipObject, nameOf } from "./objects.ts";

type ClipTool = "pan" | PointingTool;

/** The keys of tools. */
const KEYS: Readonly<Record<string, ClipTool>> = { v: "pan", p: "point" };

interface ClipToolsProps {
  readonly pointing: ClipPointing;
  /** The object of further points; undefined without one. */
  readonly target: ClipObject | undefined;
}

/** Toolbar of a video: tools of the pointer, and undo. */
export function ClipTools({ pointing, target }: ClipToolsProps) {
  const offered: readonly ClipTool[] =
    target === undefined ? ["pan", "point"] : ["pan", "point", "add", "remove"];
  useShortcuts((key, { ctrlKey, metaKey, shiftKey }) => {
    const isControl = ctrlKey || metaKey;
    const tool = KEYS[key];
    if (isControl && (key === "y" || (key === "z" && shiftKey))) pointing.redo();
    else if (isControl && key === "z") pointing.undo();
    else if (tool !== undefined && !isControl) pointing.choose(tool);
    else return false;
    return true;
  });
  useEffect(() => {
    if (!offered.includes(pointing.tool.value)) pointing.choose("point");
  }, [offered.length]);
  return (
    <div class="clip-tools">
      <div class="tools" role="toolbar" aria-label="Pointer">
        <ToolButtons
          offered={offered}
          chosen={pointing.tool.value}
          onChoose={(tool) => pointing.choose(tool)}
        />
        {pointing.canUndo.value && <UndoButton onClick={() => pointing.undo()} />}
        {pointing.canRedo.value && <RedoButton onClick={() => pointing.redo()} />}
      </div>
      <p class="clip-hint fine" role="status">
        {pointing.complaint.value ?? hintOf(pointing.tool.value, target)}
      </p>
    </div>
  );
}

/** Returns the hint for the current tool. */
function hintOf(tool: ClipTool, target: ClipObject | undefined): string {
  const [click, box] = isTouch ? ["Tap", "hold and drag a box"] : ["Click", "drag a box"];
  const keys = isTouch ? "" : " Keys: , and . for frames; arrows, Enter, B.";
  if (tool === "pan")
    return target === undefined
      ? "Choose Point to track an object without a prompt."
      : `Choose Point for another object, or Add part and Remove part to correct ${nameOf(target)}.`;
  if (tool === "point" || target === undefined)
    return `${click} an object in any frame, or ${box} around it: it is tracked forward and backward.${keys}`;
  return tool === "add"
    ? `${click} ${nameOf(target)} where it is wrong or lost, or ${box} around it.${keys}`
    : `${click} what doesn’t belong to ${nameOf(target)}.${keys}`;
}
