import { z } from "zod";
import { TaskId } from "./primitives.ts";

const MOST_REGIONS = 50;
const MOST_POINTS = 20;

const side = z.number().min(1);
const Box = z.tuple([z.number(), z.number(), side, side]).meta({
  description: "A box around the object: [x, y, width, height].",
  examples: [[40, 60, 120, 80]],
});

const Point = z
  .strictObject({
    x: z.number(),
    y: z.number(),
    label: z
      .literal([1, 0])
      .meta({ description: "1 on the object (foreground), 0 outside it (background)." }),
  })
  .meta({ id: "RegionPoint", examples: [{ x: 100, y: 90, label: 1 }] });

const Points = z
  .array(Point)
  .min(1)
  .max(MOST_POINTS)
  .refine((points) => points.some(({ label }) => label === 1), {
    error: "must have at least one point with label 1, on the object",
  })
  .meta({
    description: "Points on the object (label 1), at least one, and outside it (label 0).",
    contains: { type: "object", properties: { label: { const: 1 } } },
  });

/** Where in a task's picture to draw an object, in pixels of the picture as shown. */
const Region = z
  .strictObject({ taskId: TaskId, box: Box.optional(), points: Points.optional() })
  .refine(({ box, points }) => (box === undefined) !== (points === undefined), {
    error: "must have either box or points",
  })
  .meta({
    id: "Region",
    description:
      "Where in a picture to draw an object, in pixels of the picture as viewers show it, its EXIF orientation applied: a box around it, or points on it and outside it.",
    not: {
      anyOf: [
        { required: ["box", "points"], properties: { box: {}, points: {} } },
        { properties: { box: false, points: false } },
      ],
    },
    examples: [
      { taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg", box: [40, 60, 120, 80] },
      { taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg", points: [{ x: 100, y: 90, label: 1 }] },
    ],
  });
export type Region = z.infer<typeof Region>;

/** The regions of a job. */
export const Regions = z.array(Region).min(1).max(MOST_REGIONS).meta({
  description:
    "Objects to segment that need not be named: each region gives one mask, after those of the prompts.",
});

interface Asked {
  readonly prompts?: readonly string[] | undefined;
  readonly tasks: readonly string[];
  readonly regions?: readonly Region[] | undefined;
}

/**
 * Refuses a job with neither prompts nor regions as lacking its prompts: in their place among the issues, the first, even beside
 * others.
 */
export function requirePrompts({ prompts, regions }: Asked, { issues }: z.core.ParsePayload): void {
  if (prompts === undefined && regions === undefined)
    issues.unshift({ code: "invalid_type", expected: "array", path: ["prompts"], input: undefined });
}

/** Refuses a region of a task that is not the job's, and a task that has neither a region nor a prompt. */
export function checkRegions({ prompts, tasks, regions = [] }: Asked, context: z.RefinementCtx): void {
  const refuse = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: "custom", path, message });
  for (const [index, { taskId }] of regions.entries())
    if (!tasks.includes(taskId)) refuse(["regions", index, "taskId"], "is not one of the job's tasks");
  if (prompts !== undefined) return;
  for (const [index, task] of tasks.entries())
    if (!regions.some(({ taskId }) => taskId === task))
      refuse(["tasks", index], "has no region; without prompts, each task needs one");
}
