import { z } from "zod";

const Tensor = z.object({
  role: z.string(),
  name: z.string(),
  dtype: z.string(),
  shape: z.array(z.union([z.number(), z.string()])),
});
export type Tensor = z.infer<typeof Tensor>;

const Usable = z.object({
  usable: z.literal(true),
  id: z.string(),
  version: z.string(),
  family: z.string(),
  /** ONNX Runtime's name of the execution provider in use. */
  provider: z.string(),
  /** The peak resident memory of the process that loaded and ran the model. */
  peakBytes: z.number(),
  golden: z.object({
    picture: z.string(),
    prompt: z.string(),
    /** Milliseconds from the decoded picture to the masks, in the first run and in the second. */
    firstMs: z.number(),
    secondMs: z.number(),
    /** True if the second run found the picture's features in the cache. */
    cached: z.boolean(),
    instances: z.array(
      z.object({
        score: z.number(),
        box: z.array(z.number()),
        /** The share of the picture that the mask covers, 0 to 1. */
        area: z.number(),
      }),
    ),
  }),
  /** The tensors of each graph, by its file, or of a server's model. */
  signatures: z.array(
    z.object({
      name: z.string(),
      inputs: z.array(Tensor),
      outputs: z.array(Tensor),
    }),
  ),
});
export type Usable = z.infer<typeof Usable>;

/** The report of the process that loaded a folder; `error` is a sentence. */
export const Report = z.discriminatedUnion("usable", [
  Usable,
  z.object({ usable: z.literal(false), error: z.string() }),
]);
export type Report = z.infer<typeof Report>;
