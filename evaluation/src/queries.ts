import { packCounts } from "@segmentation/masks";
import type { LabelledSet } from "./labelled-set.ts";
import { type Find, makeQuery, type Query } from "./measures/query.ts";

/** A find in a picture of a set; `picture` and `category` are indices into the set. */
export interface FoundObject extends Find {
  readonly picture: number;
  readonly category: number;
}

/** Every category of the set in every picture, in the order of the pictures. */
export function queriesOf(
  { pictures, categories, objects }: LabelledSet,
  found: readonly FoundObject[],
): Query[] {
  const key = ({ picture, category }: { picture: number; category: number }): number =>
    picture * categories.length + category;
  const labels = Map.groupBy(objects, key);
  const finds = Map.groupBy(found, key);
  return pictures.flatMap((_, picture) =>
    categories.map((__, category) => {
      const place = key({ picture, category });
      return makeQuery(picture, category, labels.get(place) ?? [], finds.get(place) ?? []);
    }),
  );
}

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
