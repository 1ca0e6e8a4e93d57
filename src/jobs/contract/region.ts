import { MOST_OBJECTS, MOST_REGIONS, RegionLabel } from "@segmentation/protocol";
import { z } from "zod";
import { ABSENT, TaskId } from "../../shared/api/primitives.ts";

export const MOST_POINTS = 20;
const MOST_REFINED_JOBS = 10;

const side = z.number().min(1);
/** A box in a picture. */
export const Box = z.tuple([z.number(), z.number(), side, side]).meta({
  description: "A box around the object: [x, y, width, height].",
  // Many readers of OpenAPI don't support the boolean schema that zod writes here.
  items: { type: "number" },
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

export const Points = z
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

/** The fields of any region's position: exactly one of `box` and `points`. */
const PLACE = { box: Box.optional(), points: Points.optional() };
const hasOnePlace = ({ box, points }: { box?: unknown; points?: unknown }): boolean =>
  (box === undefined) !== (points === undefined);
const ONE_PLACE = { error: "must have either box or points" };
const NOT_ONE_PLACE = {
  anyOf: [
    { required: ["box", "points"], properties: { box: {}, points: {} } },
    { properties: { box: ABSENT, points: ABSENT } },
  ],
};

const Label = RegionLabel.optional().meta({
  description:
    "Name of the object in COCO, YOLO and previews, up to 100 characters. The model does not search for it. Without a label, the name is `region`.",
});

const FindAll = z.boolean().optional().meta({
  description:
    "Finds every object of the picture that looks like this one, if `regions.examples` of the model is true: the region gives all their masks, with a confidence each, above the threshold. Regions with `findAll` and the same label are examples of one thing; the masks then belong to the first of them.",
});

/** A mask of another job that a region corrects. */
export const RefinedMask = z
  .strictObject({
    jobId: z.string().min(1).max(200).meta({
      description: "A job of this account that has segmented the same picture, the same taskId.",
    }),
    maskIndex: z.int().min(0).meta({ description: "The mask's `maskIndex` in that job's result." }),
  })
  .meta({
    id: "RefinedMask",
    description:
      "A mask that is there already: the region's points or box correct it. A job without prompts whose regions all refine costs nothing for the first 20 such jobs of a picture, then a unit for each picture as usual.",
    examples: [{ jobId: "job_019aa0f61c4e7d2d9be7a5f40b8a6c21", maskIndex: 0 }],
  });
export type RefinedMask = z.infer<typeof RefinedMask>;

/** Position of an object to draw in a task's picture, in pixels of the picture as shown. */
const Region = z
  .strictObject({
    taskId: TaskId,
    ...PLACE,
    label: Label,
    refines: RefinedMask.optional(),
    findAll: FindAll,
  })
  .refine(hasOnePlace, ONE_PLACE)
  .refine(({ refines, findAll }) => refines === undefined || findAll !== true, {
    path: ["findAll"],
    error: "cannot be combined with refines",
  })
  .meta({
    id: "Region",
    description:
      "Place of an object in a picture, in pixels of the picture as viewers show it, its EXIF orientation applied: a box around it, or points on it and outside it.",
    not: {
      anyOf: [
        ...NOT_ONE_PLACE.anyOf,
        { required: ["refines", "findAll"], properties: { refines: {}, findAll: { const: true } } },
      ],
    },
    examples: [
      { taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg", box: [40, 60, 120, 80], label: "cup" },
      { taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg", points: [{ x: 100, y: 90, label: 1 }] },
      {
        taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
        points: [{ x: 100, y: 90, label: 1 }],
        refines: { jobId: "job_019aa0f61c4e7d2d9be7a5f40b8a6c21", maskIndex: 0 },
      },
    ],
  });
export type Region = z.infer<typeof Region>;

/** Position of an object to draw in the only picture of a request. */
const PictureRegion = z
  .strictObject({ ...PLACE, label: Label, findAll: FindAll })
  .refine(hasOnePlace, ONE_PLACE)
  .meta({
    id: "PictureRegion",
    description:
      "Place of an object in the picture, in pixels of the picture as viewers show it, its EXIF orientation applied: a box around it, or points on it and outside it.",
    not: NOT_ONE_PLACE,
    examples: [{ box: [40, 60, 120, 80], label: "cup" }, { points: [{ x: 100, y: 90, label: 1 }] }],
  });
export type PictureRegion = z.infer<typeof PictureRegion>;

export const PictureRegions = z.array(PictureRegion).min(1).max(MOST_REGIONS).meta({
  description:
    "Objects to segment that need not be named: each region gives one mask, after those of the prompts.",
});

/** Position of an object in a video, at the start of its tracking. */
const ClipRegion = z
  .strictObject({
    taskId: TaskId,
    timeSeconds: z.number().min(0).optional().meta({
      description:
        "Time in the video, as a browser's `currentTime`; 0 by default. The frame shown at that time is always processed.",
    }),
    ...PLACE,
    objectId: z.int().min(1).max(1_000).optional().meta({
      description:
        "Regions with the same number are the same object, pointed at several times: later ones correct its tracking. Without a number, a region is a separate object.",
    }),
    label: Label,
  })
  .refine(hasOnePlace, ONE_PLACE)
  .meta({
    id: "ClipRegion",
    description:
      "Place of an object in a video, in pixels of its frames as viewers show them: a box around it, or points on it and outside it, at a time. The service tracks the object forward and backward from there.",
    not: NOT_ONE_PLACE,
    examples: [
      {
        taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.mp4",
        timeSeconds: 1.5,
        points: [{ x: 100, y: 90, label: 1 }],
        objectId: 1,
        label: "camel",
      },
    ],
  });
export type ClipRegion = z.infer<typeof ClipRegion>;

export const Regions = z
  .array(Region)
  .min(1)
  .max(MOST_REGIONS)
  .refine((regions) => new Set(regions.map(({ refines }) => refines?.jobId)).size <= MOST_REFINED_JOBS, {
    error: `must refine masks of at most ${MOST_REFINED_JOBS} jobs`,
  })
  .meta({
    description:
      "Objects to segment that need not be named: each region gives one mask, after those of the prompts.",
  });

/** The regions of a job of a video. */
export const ClipRegions = z
  .array(ClipRegion)
  .min(1)
  .max(MOST_REGIONS)
  .meta({
    description: `Up to ${MOST_OBJECTS} objects to track, with or without a name: each is tracked from its region until it is lost.`,
  });

interface Asked {
  readonly prompts?: readonly string[] | undefined;
  readonly tasks: readonly string[];
  readonly regions?: readonly (Region | ClipRegion)[] | undefined;
  readonly formats?: readonly string[] | undefined;
}

/** The fields of a request of which it needs at least one. */
interface Sought {
  readonly prompts?: unknown;
  readonly regions?: unknown;
  readonly formats?: unknown;
}

/** The format that needs neither prompts nor regions. */
export const EMBEDDING = "embedding";

/** The JSON Schema of a request that lacks all that it could ask for. */
export const ASKS_NOTHING = {
  properties: {
    prompts: ABSENT,
    regions: ABSENT,
    formats: { type: "array", items: { not: { const: EMBEDDING } } },
  },
};

/**
 * Refuses a job that asks for neither prompts nor regions nor embeddings as lacking its prompts: as the first issue, even with
 * other issues.
 */
export function requirePrompts(sought: Sought | null, { issues }: z.core.ParsePayload): void {
  // It runs even if the value is no object, which is the first issue then.
  if (sought === null || typeof sought !== "object") return;
  const { prompts, regions, formats } = sought;
  const embeds = Array.isArray(formats) && formats.includes(EMBEDDING);
  if (prompts === undefined && regions === undefined && !embeds)
    issues.unshift({ code: "invalid_type", expected: "array", path: ["prompts"], input: undefined });
}

/** Refuses a region of a task that is not the job's, and a task for which the job asks for nothing. */
export function checkRegions(
  { prompts, tasks, regions = [], formats = [] }: Asked,
  context: z.RefinementCtx,
): void {
  const refuse = (path: (string | number)[], message: string): void =>
    context.addIssue({ code: "custom", path, message });
  for (const [index, { taskId }] of regions.entries())
    if (!tasks.includes(taskId)) refuse(["regions", index, "taskId"], "is not one of the job's tasks");
  if (prompts !== undefined || formats.includes(EMBEDDING)) return;
  for (const [index, task] of tasks.entries())
    if (!regions.some(({ taskId }) => taskId === task))
      refuse(["tasks", index], "has no region; without prompts, each task needs one");
}

/** Refuses more objects in a video than the tracking limit, and an object with two names. */
export function checkObjects(
  { regions = [] }: { readonly regions?: readonly ClipRegion[] | undefined },
  context: z.RefinementCtx,
): void {
  const names = new Map<number, string>();
  for (const [index, { objectId, label }] of regions.entries()) {
    if (objectId === undefined || label === undefined) continue;
    const name = names.get(objectId) ?? label;
    names.set(objectId, name);
    if (name !== label)
      context.addIssue({
        code: "custom",
        path: ["regions", index, "label"],
        message: `is not that of the other regions with objectId ${objectId}`,
      });
  }
  const numbered = regions.flatMap(({ objectId }) => objectId ?? []);
  const objects = regions.length - numbered.length + new Set(numbered).size;
  if (objects > MOST_OBJECTS)
    context.addIssue({
      code: "custom",
      path: ["regions"],
      message: `must have at most ${MOST_OBJECTS} objects; give regions of the same object the same objectId`,
    });
}
