import { z } from "zod";
import { ResultFormat } from "../../jobs/contract/job.ts";

/** GET /v1/model: the model in use, and its capabilities. */
export const Model = z
  .strictObject({
    id: z.string(),
    family: z.string().meta({ description: "The kind of model: the adapter that runs it." }),
    version: z.string(),
    vocabulary: z.xor([z.literal("open"), z.array(z.string())]).meta({
      description:
        "`open` if prompts may be any phrase; otherwise the labels that the model knows, for which prompts may also use synonyms.",
    }),
    attributes: z.boolean().meta({
      description: "True if the model takes a prompt's attributes into account: `red` in `red car`.",
    }),
    regions: z
      .strictObject({
        box: z.boolean(),
        points: z.boolean(),
        clips: z.boolean().meta({ description: "True if it tracks the objects of a video's regions." }),
        examples: z.boolean().meta({
          description:
            "True if it finds all objects that look like that of a region with `findAll`; by points only if `points` is true too.",
        }),
      })
      .meta({ description: "The kinds of regions that the model segments." }),
    video: z.boolean().meta({ description: "True if video jobs are possible." }),
    formats: z
      .array(z.string())
      .meta({ description: "The additional formats in which results are written if a job asks for them." }),
    interactive: z
      .strictObject({
        decoder: z
          .strictObject({
            url: z.url().meta({
              description: "The URL of the ONNX file. It needs no credential, and its content never changes.",
            }),
            bytes: z.int().min(1).meta({ description: "The file's size." }),
            sha256: z.string().meta({ description: "The file's SHA-256 in hex." }),
          })
          .meta({ description: "The decoder that draws masks from an embedding." }),
        embedding: z
          .strictObject({
            format: z.int().meta({ description: "The version of the file's format." }),
            units: z.int().meta({ description: "The cost of an embedding, per picture." }),
          })
          .meta({ description: "The result format `embedding`." }),
      })
      .optional()
      .meta({
        description:
          "The files with which a client draws masks itself. Absent if the model returns no embeddings, or its decoder is not in the bucket yet.",
      }),
  })
  .meta({
    id: "Model",
    examples: [
      {
        id: "builtin",
        family: "builtin",
        version: "1.1.0",
        vocabulary: ["person", "bicycle", "car"],
        attributes: false,
        regions: { box: true, points: true, clips: true, examples: false },
        video: true,
        formats: ResultFormat.options,
      },
    ],
  });
export type Model = z.infer<typeof Model>;
