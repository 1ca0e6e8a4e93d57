import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { LIMITS } from "segmentation-client";
import { Icon } from "../../../components/controls/button.tsx";
import { lazyDialog } from "../../../components/lazy/lazy-part.tsx";
import { isTouch, RedoButton, ToolButtons, UndoButton } from "../../../components/controls/toolbar.tsx";
import { redoLatest, undoable, undoLatest } from "../../../edit/edit.ts";
import { overview } from "../../../state/session.ts";
import { useShortcuts } from "../../../state/use-shortcuts.ts";
import { isPaint, type Tool } from "../../../viewer/types.ts";
import { instantOf } from "../../../workspace/decoding/instant.ts";
import { nameOf } from "../../../workspace/rules/instances.ts";
import { obstacleTo } from "../../../workspace/rules/obstacles.ts";
import { costsUnit, newIn } from "../../../workspace/rules/pointed-objects.ts";
import { model } from "../../../workspace/service/model.ts";
import type { Workspace } from "../../../workspace/workspace.ts";
import type { ViewState } from "../state/view-state.ts";
import "./tools.css";

const HINTS: Readonly<Record<Tool, string>> = {
  pan: "Drag to move, scroll or pinch to zoom.",
  point: "Click an object, or drag a box around it",
  add: "Click another part of the object.",
  remove: "Click what doesn’t belong to the object.",
  brush: "Drag over what belongs to the object.",
  eraser: "Drag over what doesn’t belong to the object.",
};

/** Of touch screens, where one finger scrolls the page or moves the zoomed picture. */
const TOUCH_HINTS: Readonly<Record<Tool, string>> = {
  pan: "Drag to move, pinch to zoom.",
  point: "Tap an object, or hold and drag a box around it",
  add: "Tap another part of the object.",
  remove: "Tap what doesn’t belong to the object.",
  brush: `${HINTS.brush} Two fingers move the picture.`,
  eraser: `${HINTS.eraser} Two fingers move the picture.`,
};

const KeySheet = lazyDialog(async () => (await import("./key-sheet.tsx")).KeySheet);

/** States the cost of pointing, and when a mask comes at once. */
function costOf({ workspace }: ViewState): string {
  const instant = instantOf(workspace, workspace.openPicture.value?.key ?? "");
  if (instant === undefined) return ": 1 unit each.";
  if (instant === null) return ": 1 unit. From then on, masks come at once, and many are kept for 1 unit.";
  return instant.at === "loading"
    ? ": 1 unit each until masks come at once. Loading what draws them…"
    : `. ${isTouch ? "“Keep”" : "Enter"} keeps all that is new for 1 unit, as does leaving the picture.`;
}

/** Returns the hint for the current tool, with its keys. */
function hintOf(viewState: ViewState, canRefine: boolean): string {
  const tool = viewState.tool.value;
  if (viewState.complaint.value !== null) return viewState.complaint.value;
  const hint = HINTS[tool];
  const selected = viewState.painting.target.value;
  if (selected !== null && tool === "point" && viewState.refining.target.value === null)
    return `${nameOf(selected)} is selected. ${isTouch ? "Its menu is in the list." : "Delete removes it; D and E paint it."} A box begins an object on it.`;
  const obstacle =
    tool === "point" && overview.value !== null ? obstacleTo(overview.value, "image", 1) : null;
  if (obstacle !== null) return "Nothing new can be pointed at now. What was found can be edited.";
  if (isTouch) return tool === "point" ? TOUCH_HINTS.point + costOf(viewState) : TOUCH_HINTS[tool];
  const refined = viewState.refining.target.value;
  if (refined !== null && tool !== "pan")
    return `Refines ${nameOf(refined)}: click what is missing, Alt-click what doesn’t belong, or drag a box. The first ${LIMITS.freeRefinements} are free.`;
  if (isPaint(tool)) {
    const target = viewState.painting.target.value;
    const what = target === null ? "" : `Changes ${nameOf(target)}.`;
    return `${what} ${hint} Keys: [ and ] for the size, ? for all.`;
  }
  if (tool !== "point") return hint;
  const refine = canRefine ? " Shift-click adds a part, Alt-click removes one." : "";
  return `${hint}${costOf(viewState)}${refine} Keys: arrows, Enter for a point, B for a box, ? for all.`;
}

/** The keys of tools. */
const KEYS: Readonly<Record<string, Tool>> = { v: "pan", p: "point", d: "brush", e: "eraser" };
/** Change of the brush by a key. */
const BRUSH_STEP = 0.1;

/** Toolbar of a picture: tools of the pointer, and undo. */
export function Tools({ viewState }: { readonly viewState: ViewState }) {
  const { workspace } = viewState;
  const { box = true, points = true } = model.value?.regions ?? {};
  const canPoint = box || points;
  const canRefine = canPoint && viewState.refining.pendingRegions.value.some((region) => "points" in region);
  const canPaint = viewState.instances.value.length > 0;
  const isRefining = viewState.refining.target.value !== null;
  const can = undoable(workspace);
  const isSheetOpen = useSignal(false);
  const offered: readonly Tool[] = [
    "pan",
    ...(canPoint && !isRefining ? (["point"] as const) : []),
    ...(canRefine ? (["add", "remove"] as const) : []),
    ...(canPaint ? (["brush", "eraser"] as const) : []),
  ];
  const act = (undoOrRedo: (of: Workspace) => void): void => {
    viewState.complaint.value = null;
    undoOrRedo(workspace);
  };
  const fresh = newIn(workspace.pointed.value, workspace.openPicture.value?.key ?? "");
  const choose = (tool: Tool): void => {
    viewState.complaint.value = null;
    // Only masks at the service can be painted on.
    if (isPaint(tool)) viewState.refining.keep();
    viewState.tool.value = tool;
  };
  useShortcuts((key, { ctrlKey, metaKey, shiftKey, target }) => {
    const tool = KEYS[key];
    if (key === "enter") return (ctrlKey || metaKey || target === document.body) && viewState.refining.keep();
    if (ctrlKey || metaKey) {
      if (key !== "z" && key !== "y") return false;
      act(key === "y" || shiftKey ? redoLatest : undoLatest);
    } else if (tool !== undefined && offered.includes(tool)) choose(tool);
    else if (key === "delete" || key === "backspace") return viewState.deleteSelected();
    else if (key === "?") isSheetOpen.value = true;
    else if (key === "[" || key === "]") {
      const size = viewState.painting.brush.value + (key === "[" ? -BRUSH_STEP : BRUSH_STEP);
      viewState.painting.brush.value = Math.min(1, Math.max(0, size));
    } else return false;
    return true;
  });
  useEffect(() => {
    if (!offered.includes(viewState.tool.value)) viewState.tool.value = canPoint ? "point" : "pan";
  }, [offered.join()]);
  return (
    <>
      <div class="tools" role="toolbar" aria-label="Pointer">
        {offered.length > 1 && (
          <ToolButtons offered={offered} chosen={viewState.tool.value} onChoose={choose} />
        )}
        {can.undo && <UndoButton onClick={() => act(undoLatest)} />}
        {can.redo !== null && (
          <RedoButton onClick={() => act(redoLatest)} cost={can.redo === "paid" ? ", 1 unit" : ""} />
        )}
        {fresh.length > 0 && (
          <button type="button" title="Enter" onClick={() => viewState.refining.keep()}>
            <Icon name="check" size={18} />
            Keep {fresh.length}
            {costsUnit(fresh) && ", 1 unit"}
          </button>
        )}
        {isRefining && (
          <>
            <button
              type="button"
              aria-pressed={viewState.refining.isCompared.value}
              disabled={viewState.refining.before.value === null}
              onClick={() => (viewState.refining.isCompared.value = !viewState.refining.isCompared.value)}
            >
              Before and after
            </button>
            <button type="button" onClick={() => viewState.stopRefining()}>
              <Icon name="check" size={18} />
              Done
            </button>
          </>
        )}
        {!isTouch && (
          <button
            type="button"
            class="tools-keys"
            aria-label="Keys"
            title="Keys (?)"
            onClick={() => (isSheetOpen.value = true)}
          >
            ?
          </button>
        )}
        {isPaint(viewState.tool.value) && (
          <label class="tools-size fine">
            Size
            <input
              type="range"
              min={0}
              max={1}
              step={0.01}
              value={viewState.painting.brush.value}
              onInput={({ currentTarget }) => (viewState.painting.brush.value = currentTarget.valueAsNumber)}
            />
          </label>
        )}
      </div>
      {isSheetOpen.value && <KeySheet onClose={() => (isSheetOpen.value = false)} />}
      <p class="tools-hint fine" role="status">
        {hintOf(viewState, canRefine)}
      </p>
    </>
  );
}
