import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { edit } from "../../../edit/edit.ts";
import { isPaint, type Tool } from "../../../viewer/types.ts";
import { isNew } from "../../../workspace/masks/objects.ts";
import { type Instance, paintedAt } from "../../../workspace/rules/instances.ts";
import type { Workspace } from "../../../workspace/workspace.ts";

/** Default size of the brush. */
const USUAL_BRUSH = 0.5;
/** The brush's radius as a share of the picture's longer side: the smallest, and how many times as large the largest is. */
const [LEAST_BRUSH, BRUSHES] = [0.002, 50];

/** State that painting reads and changes. */
interface Painted {
  readonly workspace: Workspace;
  /** All objects of the open picture. */
  readonly instances: ReadonlySignal<readonly Instance[]>;
  readonly tool: Signal<Tool>;
  readonly complaint: Signal<string | null>;
}

/** Brush and eraser on the masks of the open picture. */
export class Painting {
  /** Size of the brush, 0 to 1. */
  readonly brush = signal(USUAL_BRUSH);
  /** The object that brush and eraser change. */
  readonly selected = signal<string | null>(null);
  readonly #painted: Painted;

  constructor(painted: Painted) {
    this.#painted = painted;
  }

  /** The selected object, if it is there. */
  readonly target = computed(
    () => this.#painted.instances.value.find(({ object }) => object === this.selected.value) ?? null,
  );

  /** Has brush and eraser change an object. */
  begin({ object }: Instance): void {
    const { tool, complaint } = this.#painted;
    this.selected.value = object;
    complaint.value = null;
    if (!isPaint(tool.value)) tool.value = "brush";
  }

  /** Paints a stroke into the selected object, or into the one that it touches or extends. */
  paint(points: readonly number[], mask: string | null): void {
    const { workspace, instances, tool, complaint } = this.#painted;
    const { value: mode } = tool;
    const target = this.target.value ?? paintedAt(instances.value, mask);
    if (!isPaint(mode)) return;
    if (target === undefined) {
      complaint.value = "Start on an object, or click one in the list first.";
      return;
    }
    if (isNew(target)) {
      complaint.value = "This object is being saved. Paint on it as soon as it is.";
      return;
    }
    complaint.value = null;
    this.selected.value = target.object;
    const stroke = { mode, radius: this.radiusIn(target), points };
    edit(workspace, { type: "paint", object: target.object, stroke });
  }

  /** The brush's radius in pixels of a picture. */
  radiusIn({ width, height }: { readonly width: number; readonly height: number }): number {
    const share = LEAST_BRUSH * BRUSHES ** this.brush.value;
    return Math.max(0.5, Math.round(2 * share * Math.max(width, height)) / 2);
  }
}
