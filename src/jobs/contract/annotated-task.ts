import { RegionLabel } from "@segmentation/protocol";
import { z } from "zod";
import { TaskId } from "../../shared/api/primitives.ts";

/** Maximum number of objects in a picture. */
const MOST_OBJECTS = 10_000;
const MOST_THRESHOLDS = 100;
/** The greatest id of a class. */
export const MOST_ID = 1_000_000;

const classId = z.int().min(1).max(MOST_ID);
const side = z.int().min(1).max(65_535);

/** A class of objects. */
export const AnnotationClass = z
  .strictObject({
    id: classId.meta({
      description: "The category's id in COCO. It stays with the class and is never given to another one.",
    }),
    name: RegionLabel.meta({
      description: "The class's name, unlike those of the others even if letter case is ignored.",
    }),
    color: z
      .string()
      .regex(/^#[0-9a-f]{6}$/)
      .optional()
      .meta({ description: "The color of its objects, such as `#1b9e77`. Absent if none was chosen." }),
    key: z.int().min(1).max(9).optional().meta({
      description:
        "The number key that selects the class, unlike those of the others. Absent if it has none.",
    }),
  })
  .meta({ id: "AnnotationClass", description: "A class of objects." });
export type AnnotationClass = z.infer<typeof AnnotationClass>;

/** A mask as COCO's compressed run-length encoding. */
const AnnotationMask = z
  .strictObject({
    size: z.tuple([side, side]).meta({
      description: "Height, then width, in pixels.",
      // Many readers of OpenAPI know no boolean schema, which zod writes here.
      items: { type: "integer" },
    }),
    counts: z
      .string()
      .regex(/^[0-o]*$/)
      .meta({ description: "The runs, as pycocotools writes and reads them." }),
  })
  .meta({
    id: "AnnotationMask",
    description: "A mask in COCO's compressed run-length encoding, of its picture's size.",
  });

/** Lowest confidences, by prompt. */
export const Thresholds = z
  .array(
    z
      .strictObject({
        prompt: z.string().min(1).max(1_000).optional().meta({
          description: "The prompt. Absent for all prompts without a separate threshold.",
        }),
        least: z.number().min(0).max(1).meta({ description: "The lowest confidence that is shown." }),
      })
      .meta({ id: "AnnotationThreshold", description: "The lowest confidence at which objects are shown." }),
  )
  .max(MOST_THRESHOLDS)
  .optional();

const AnnotatedObject = z
  .strictObject({
    id: z.string().min(1).max(100).meta({
      description:
        "`<jobId>/<maskIndex>` of a mask in a result, `<jobId>/<objectId>` of an object in a video's masks.json; for an object that a person added, an id of the client's choice.",
    }),
    classId: classId.optional().meta({
      description:
        "Its class in `classes`. Absent if the object keeps its prompt or label, which is the class with that name.",
    }),
    hidden: z.boolean().optional().meta({ description: "True if a person has hidden it." }),
    deleted: z.boolean().optional().meta({ description: "True if a person has deleted it." }),
    accepted: z.boolean().optional().meta({
      description: "True if a person has accepted it. No threshold hides an accepted object.",
    }),
    mask: AnnotationMask.optional().meta({
      description: "Its mask after editing, merging or drawing. Absent if it has the mask of the result.",
    }),
    recipe: z.string().max(65_536).optional().meta({
      description:
        "Steps that made the mask, in the client's notation, for its undo. The service does not read it.",
    }),
  })
  .meta({ id: "AnnotatedObject", description: "A person's changes to an object." });

/** A person's changes to a picture or video. */
export const AnnotatedTask = z
  .strictObject({
    taskId: TaskId.meta({ description: "One of the job's tasks." }),
    fileName: z.string().min(1).max(1_000).optional().meta({ description: "The name of the file." }),
    width: side.optional().meta({ description: "The picture's width in pixels, as viewers show it." }),
    height: side.optional().meta({ description: "The picture's height in pixels, as viewers show it." }),
    verdict: z.enum(["accepted", "rejected"]).optional().meta({
      description: "The verdict of a review. Absent if there is none.",
    }),
    note: z.string().max(2_000).optional().meta({ description: "A person's note." }),
    thresholds: Thresholds.meta({
      description: "Thresholds of this picture, in place of the document's for the same prompts.",
    }),
    objects: z.array(AnnotatedObject).max(MOST_OBJECTS).meta({
      description: "The objects that a person has changed or added, each once.",
    }),
  })
  .meta({ id: "AnnotatedTask", description: "A person's changes to a picture or video." });
export type AnnotatedTask = z.infer<typeof AnnotatedTask>;
