import { z } from "zod";
import { ServiceError } from "../../shared/errors.ts";
import type { Wanted } from "../jobs.ts";

const percent = z.number().min(-1).max(101);
const shape = { original_width: z.int().min(1), original_height: z.int().min(1) };
const labels = z.array(z.string()).optional();

/**
 * A person's drawing: a click, a rectangle, or the label of a shape drawn by a tag without labels. Ignores further fields and
 * kinds of shapes.
 */
const Drawn = z.union([
  z.object({
    ...shape,
    type: z.enum(["keypointlabels", "keypoint"]),
    is_positive: z.union([z.boolean(), z.int()]).default(true),
    value: z.object({ x: percent, y: percent, keypointlabels: labels }),
  }),
  z.object({
    ...shape,
    type: z.enum(["rectanglelabels", "rectangle"]),
    value: z.object({ x: percent, y: percent, width: percent, height: percent, rectanglelabels: labels }),
  }),
  z.object({ type: z.literal("labels"), value: z.object({ labels: z.array(z.string()) }) }),
  z.object({ type: z.string().optional() }),
]);

/** A person's drawings on a task's picture. */
export const DrawingContext = z.object({ result: z.array(Drawn).max(100).default([]) });
export type DrawingContext = z.infer<typeof DrawingContext>;

/** Regions, and the label that the person had chosen. */
export interface Drawing {
  readonly regions: NonNullable<Wanted["regions"]>;
  readonly label: string | null;
}

/**
 * Returns the drawing in pixels of the picture: all clicks are on one object, each rectangle is around one. Null without one. @throws ServiceError invalid_request if the service cannot use it
 */
export function drawingOf({ result }: DrawingContext): Drawing | null {
  const points: NonNullable<Drawing["regions"][number]["points"]> = [];
  const boxes: { readonly box: [number, number, number, number]; readonly picture: 0 }[] = [];
  let label: string | null = null;
  for (const drawn of result) {
    if (!("value" in drawn)) continue;
    if (drawn.type === "labels") {
      label ??= drawn.value.labels[0] ?? null;
      continue;
    }
    const across = drawn.original_width / 100;
    const down = drawn.original_height / 100;
    if ("is_positive" in drawn) {
      const { x, y, keypointlabels } = drawn.value;
      points.push({ x: x * across, y: y * down, label: drawn.is_positive ? 1 : 0 });
      label ??= keypointlabels?.[0] ?? null;
    } else {
      const { x, y, width, height, rectanglelabels } = drawn.value;
      boxes.push({ box: [x * across, y * down, width * across, height * down], picture: 0 });
      label ??= rectanglelabels?.[0] ?? null;
    }
  }
  const clicked = points.length === 0 ? [] : [{ points, picture: 0 }];
  const regions = [...clicked, ...boxes];
  if (regions.length > 0) return { regions, label };
  if (result.length === 0) return null;
  throw new ServiceError(
    "invalid_request",
    "context: has neither keypoints nor rectangles. Draw with a smart KeyPointLabels, RectangleLabels, KeyPoint or Rectangle.",
  );
}
