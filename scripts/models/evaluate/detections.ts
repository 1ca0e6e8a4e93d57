import { packCounts } from "../../../inference-container/src/masks/runs/rle.ts";
import type { LabelledSet } from "./labelled-set.ts";
import type { FoundObject } from "./queries.ts";

/** A find in COCO's format for results, which pycocotools reads. */
export interface Detection {
  readonly image_id: number;
  readonly category_id: number;
  readonly segmentation: { readonly size: readonly [number, number]; readonly counts: string };
  readonly score: number;
}

/** Finds in COCO's format for results. */
export function detectionsOf(
  { pictures, categories }: LabelledSet,
  found: readonly FoundObject[],
): Detection[] {
  return found.map(({ picture, category, score, mask: { width, height, spans } }) => ({
    image_id: pictures[picture]?.id ?? -1,
    category_id: categories[category]?.id ?? -1,
    segmentation: { size: [height, width], counts: packCounts(spans, width * height) },
    score,
  }));
}
