import { z } from "zod";

const Tensor = z.object({
  role: z.string(),
  name: z.string(),
  dtype: z.string(),
  shape: z.array(z.union([z.number(), z.string()])),
  optional: z.boolean().optional(),
});
export type Tensor = z.infer<typeof Tensor>;

const Usable = z.object({
  usable: z.literal(true),
  id: z.string(),
  version: z.string(),
  family: z.string(),
  /** ONNX Runtime's name of the execution provider in use. */
  provider: z.string(),
  /** The most memory that the process which loaded and ran the model had resident. */
  peakBytes: z.number(),
  golden: z.object({
    picture: z.string(),
    prompt: z.string(),
    /** Milliseconds from the decoded picture to the masks, the first time and once more. */
    firstMs: z.number(),
    secondMs: z.number(),
    /** Whether the second time found the picture's features remembered. */
    cached: z.boolean(),
    instances: z.array(
      z.object({
        score: z.number(),
        box: z.array(z.number()),
        /** Share of the picture that the mask covers. */
        area: z.number(),
      }),
    ),
  }),
  graphs: z.array(
    z.object({
      file: z.string(),
      /** The most rows of runs that the service joins into one. */
      maxBatch: z.number(),
      inputs: z.array(Tensor),
      outputs: z.array(Tensor),
    }),
  ),
});
export type Usable = z.infer<typeof Usable>;

/** What the process that loaded a folder says of it; `error` is a sentence. */
export const Report = z.discriminatedUnion("usable", [
  Usable,
  z.object({ usable: z.literal(false), error: z.string() }),
]);
export type Report = z.infer<typeof Report>;
