import { z } from "zod";
import { DateTime } from "../../shared/api/primitives.ts";
import { AnnotatedTask, AnnotationClass, MOST_ID, Thresholds } from "./annotated-task.ts";
import { checkDocument } from "./annotation-checks.ts";

/** Maximum bytes of a job's annotations, as JSON. */
export const MOST_ANNOTATION_BYTES = 1024 * 1024;
const MOST_CLASSES = 1_000;
const MOST_SEARCHES = 200;

const EXAMPLE = {
  format: 1,
  classes: [{ id: 1, name: "cat", color: "#1b9e77", key: 1 }],
  nextClassId: 2,
  searches: [],
  tasks: [
    {
      taskId: "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.jpg",
      verdict: "accepted",
      objects: [{ id: "job_019aa0f61c4e7d2d9be7a5f40b8a6c21/0", classId: 1 }],
    },
  ],
};

/** People's changes to a job's result. `docs/formats.md` describes it. */
export const AnnotationsDocument = z
  .strictObject({
    format: z.literal(1).meta({ description: "The version of this format." }),
    classes: z.array(AnnotationClass).max(MOST_CLASSES).meta({
      description: "The classes, in the order in which people see them.",
    }),
    nextClassId: z
      .int()
      .min(1)
      .max(MOST_ID + 1)
      .meta({ description: "The id of the next class: above those of all present and former ones." }),
    searches: z.array(z.string().min(1).max(200)).max(MOST_SEARCHES).meta({
      description:
        "Further jobs of this account whose objects belong with this job's, such as a search for another word. The service does not look them up.",
    }),
    thresholds: Thresholds.meta({ description: "Thresholds of all pictures." }),
    tasks: z.array(AnnotatedTask).meta({ description: "The pictures or the video, each at most once." }),
  })
  .superRefine(checkDocument)
  .meta({
    id: "AnnotationsDocument",
    description:
      "The work of people on a job's result: classes, verdicts, and changes to objects. At most 1 MiB as JSON.",
    examples: [EXAMPLE],
  });
export type AnnotationsDocument = z.infer<typeof AnnotationsDocument>;

/** PUT /v1/jobs/{jobId}/annotations; other fields are ignored, so that an answer can be sent back. */
export const ReplaceJobAnnotationsRequest = z.object({ document: AnnotationsDocument }).meta({
  id: "ReplaceJobAnnotationsRequest",
  examples: [{ document: { ...EXAMPLE, tasks: [] } }],
});

const version = z
  .int()
  .min(0)
  .meta({ description: "The version: 0 until the first change, then one more for each." });

/** The answer of PUT. */
export const SavedAnnotations = z
  .strictObject({
    version,
    updatedAt: DateTime.nullable().meta({
      description: "Time at which this version was saved; null for version 0.",
    }),
  })
  .meta({ id: "SavedAnnotations" });
export type SavedAnnotations = z.infer<typeof SavedAnnotations>;

/** The answer of GET. */
export const JobAnnotations = SavedAnnotations.extend({ document: AnnotationsDocument }).meta({
  id: "JobAnnotations",
});
export type JobAnnotations = z.infer<typeof JobAnnotations>;
