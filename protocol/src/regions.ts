import { z } from "zod";

/** The most regions of a job. */
export const MOST_REGIONS = 50;
/** The most objects that the regions of a video may mark. */
export const MOST_OBJECTS = 10;

/** The name of a region's object in formats and previews. */
export const RegionLabel = z.string().min(1).max(100);

/** The name of the object of a region without a label. */
export const UNLABELLED = "region";

/** The fields that distinguish a region's object from others. */
interface Pointing {
  readonly objectId?: number | undefined;
  readonly label?: string | undefined;
}

/** An object of a video, marked by one or several regions. */
export interface PointedObject<Region> {
  /** Its id among the video's objects: as requested, or else the lowest that is free. */
  readonly objectId: number;
  /** The first label of its regions. */
  readonly label?: string;
  /** In their order; at least one. */
  readonly regions: readonly Region[];
}

/** The objects that a video's regions mark, by their first regions. */
export function objectsOf<Region extends Pointing>(regions: readonly Region[]): PointedObject<Region>[] {
  const taken = new Set(regions.flatMap(({ objectId }) => objectId ?? []));
  const free = (): number => {
    let id = 1;
    while (taken.has(id)) id += 1;
    taken.add(id);
    return id;
  };
  const byId = Map.groupBy(regions, ({ objectId }) => objectId ?? free());
  return Array.from(byId, ([objectId, own]) => {
    const label = own.find((region) => region.label !== undefined)?.label;
    return { objectId, regions: own, ...(label !== undefined && { label }) };
  });
}

/** The name of a region's object. */
export const nameOf = ({ label }: Pick<Pointing, "label">): string => label ?? UNLABELLED;
