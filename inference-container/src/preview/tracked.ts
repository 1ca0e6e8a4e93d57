import { CLIP_MASK_THRESHOLD } from "../masks/runs/clip-threshold.ts";
import type { LogitGrid } from "../models/model.ts";
import type { Canvas } from "./canvas.ts";
import { drawShown, largestFirst, show } from "./shown.ts";

/** An object of a frame; `objectId` is the same in all frames, `mask` is stretched over the whole canvas. */
export interface TrackedObject {
  readonly objectId: number;
  readonly prompt: string;
  /** Confidence, 0 to 1. */
  readonly score: number;
  readonly mask: LogitGrid;
}

/**
 * Draws a frame's objects onto it, in place: a tint and an outline in the object's own colour, which it keeps in all
 * frames, and a label with the prompt, the id and the confidence. Small objects lie on top of large ones. Objects that
 * were seen earlier choose their labels' places first, so that labels stay where they are.
 */
export async function drawTracked(canvas: Canvas, objects: readonly TrackedObject[]): Promise<void> {
  const named = objects
    .toSorted((a, b) => a.objectId - b.objectId)
    .map(({ objectId, prompt, score, mask }) => {
      return { prompt, mark: ` #${objectId}`, score, mask, colour: objectId };
    });
  const shown = show(canvas, named, CLIP_MASK_THRESHOLD);
  await drawShown(canvas, largestFirst(shown), shown);
}
