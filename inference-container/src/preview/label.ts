import type { Step } from "../steps.ts";
import type { Bounds } from "@segmentation/masks";
import { type Canvas, fillRounded, paint, type Rect } from "./canvas.ts";
import { darken, type Rgb } from "./colour.ts";
import { letter, shorten } from "./lettering.ts";

const LONGEST_NAME = 32;
const WHITE: Rgb = [255, 255, 255];

/** A label's text, the bounds that it names, and its color. */
export interface Label {
  readonly prompt: string;
  /** Distinguishes objects of one prompt; may be empty. */
  readonly mark: string;
  readonly score: number;
  readonly colour: Rgb;
  readonly bounds: Bounds;
}

/**
 * Draws the labels in order, each where it hides no other; leaves out a label without room. `size` is the text's height
 * in pixels.
 */
export async function drawLabels(
  canvas: Canvas,
  labels: readonly Label[],
  size: number,
  step: Step,
): Promise<void> {
  const padX = Math.round(size * 0.55);
  const padY = Math.round(size * 0.38);
  const placed: Rect[] = [];
  for (const { prompt, mark, score, colour, bounds } of labels) {
    const lettering = await letter(`${shorten(prompt, LONGEST_NAME)}${mark} ${score.toFixed(2)}`, size);
    await step();
    const extent = { width: lettering.width + 2 * padX, height: Math.round(size * 1.05) + 2 * padY };
    const pill = findPlace(canvas, extent, bounds, placed);
    if (pill === undefined) continue;
    placed.push(pill);
    fillRounded(canvas, pill, size * 0.4, darken(colour), 0.92);
    const top = pill.top + Math.round((pill.height - lettering.height) / 2);
    const { width, height, coverage } = lettering;
    paint(canvas, coverage, { left: pill.left + padX, top, width, height }, WHITE);
  }
}

/** Above the object's highest point, otherwise below that, further and further down; always within the canvas. */
function findPlace(
  canvas: Canvas,
  { width, height }: { width: number; height: number },
  bounds: Bounds,
  placed: readonly Rect[],
): Rect | undefined {
  if (width > canvas.width || height > canvas.height) return undefined;
  const left = Math.min(Math.max(Math.round(bounds.peak - width / 2), 0), canvas.width - width);
  const steps = [bounds.top - height - 2];
  for (let top = bounds.top + 2; top < bounds.bottom; top += height + 2) steps.push(top);
  return steps
    .map((top) => ({ left, top: Math.min(Math.max(top, 0), canvas.height - height), width, height }))
    .find((rect) => !placed.some((other) => overlap(rect, other)));
}

function overlap(a: Rect, b: Rect): boolean {
  return (
    a.left < b.left + b.width &&
    b.left < a.left + a.width &&
    a.top < b.top + b.height &&
    b.top < a.top + a.height
  );
}
