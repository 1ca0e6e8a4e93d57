/** Separates a task's examples, of which all like them are wanted, from the regions to draw. */
import { nameOf, type TaskRegion } from "@segmentation/protocol";

/** The regions to draw, and the examples of each thing, by their label. */
export function examplesOf({ regions = [] }: { readonly regions?: readonly TaskRegion[] | undefined }): {
  asked: TaskRegion[];
  exampled: TaskRegion[][];
} {
  const examples = regions.filter(({ findAll }) => findAll === true);
  return {
    asked: regions.filter(({ findAll }) => findAll !== true),
    // Unlabeled examples show a thing each.
    exampled: [
      ...Map.groupBy(examples, (one) => (one.label === undefined ? one.index : nameOf(one))).values(),
    ],
  };
}
