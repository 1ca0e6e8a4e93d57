import type { Tool } from "../../viewer/types.ts";
import { Icon, type IconName } from "./button.tsx";
import "./toolbar.css";

/** True on touch screens. */
export const isTouch = matchMedia("(pointer: coarse)").matches;

const TOOLS: Readonly<Record<Tool, { readonly icon: IconName; readonly name: string }>> = {
  pan: { icon: "hand", name: "Move" },
  point: { icon: "point", name: "Point" },
  add: { icon: "plus", name: "Add part" },
  remove: { icon: "minus", name: "Remove part" },
  brush: { icon: "brush", name: "Brush" },
  eraser: { icon: "eraser", name: "Eraser" },
};

interface ToolButtonsProps<Offered extends Tool> {
  readonly offered: readonly Offered[];
  readonly chosen: Tool;
  readonly onChoose: (tool: Offered) => void;
}

/** A button for each of the pointer's tools, in pictures and videos. */
export const ToolButtons = <Offered extends Tool>({
  offered,
  chosen,
  onChoose,
}: ToolButtonsProps<Offered>) => (
  <>
    {offered.map((tool) => (
      <button key={tool} type="button" aria-pressed={tool === chosen} onClick={() => onChoose(tool)}>
        <Icon name={TOOLS[tool].icon} size={18} />
        {TOOLS[tool].name}
      </button>
    ))}
  </>
);

export const RedoButton = ({
  onClick,
  cost = "",
}: {
  readonly onClick: () => void;
  readonly cost?: string;
}) => (
  <button type="button" title="Ctrl+Shift+Z" onClick={onClick}>
    <Icon name="redo" size={18} />
    Redo{cost}
  </button>
);

export const UndoButton = ({ onClick }: { readonly onClick: () => void }) => (
  <button type="button" class="tools-undo" title="Ctrl+Z" onClick={onClick}>
    <Icon name="undo" size={18} />
    Undo
  </button>
);
