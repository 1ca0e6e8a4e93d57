import { z } from "zod";

const index = z.int().nonnegative();

/** A video's masks.json as its readers know it. */
export const MasksJson = z.strictObject({
  version: z.literal(1),
  width: z.int().positive(),
  height: z.int().positive(),
  fps: z.number().positive(),
  frames: z.array(
    z.strictObject({
      sampleIdx: index,
      frameIdx: index,
      timeSec: z.number().nonnegative(),
      objects: z.array(
        z
          .strictObject({
            objectId: index,
            promptIndex: index.optional(),
            regionIndex: index.optional(),
            label: z.string().optional(),
            score: z.number().min(0).max(1),
            box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
            rle: z.strictObject({
              size: z.tuple([z.int().positive(), z.int().positive()]),
              counts: z.string().regex(/^[0-o]+$/),
            }),
          })
          .refine(
            ({ promptIndex, regionIndex }) => (promptIndex === undefined) !== (regionIndex === undefined),
          ),
      ),
    }),
  ),
});
