/** Fields of an `rf-detr-seg` model's manifest, besides the shared part. */
import { z } from "zod";
import { LabelChoice } from "../labels/manifest.ts";
import { FileName, GraphSpec, Manifest, requireListed } from "../manifest.ts";

const Channels = z.tuple([z.number(), z.number(), z.number()]);

export const RfDetrManifest = Manifest.extend({
  family: z.literal("rf-detr-seg"),
  graphs: z.strictObject({ detector: GraphSpec }),
  /** The normalization of the detector's input, whose size is the graph's. */
  image: z.strictObject({ mean: Channels, std: Channels }),
  /** The embedded model's manifest: its words and its SAM 2 are this model's too. */
  embedded: FileName,
  detection: LabelChoice,
})
  .strict()
  .superRefine(({ files, graphs, embedded, golden }, context) =>
    requireListed(files, [graphs.detector.file, embedded, golden.picture], context),
  );
export type RfDetrManifest = z.infer<typeof RfDetrManifest>;
