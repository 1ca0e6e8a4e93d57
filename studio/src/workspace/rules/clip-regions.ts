import type { components, Track } from "segmentation-client";
import type { Region } from "../../viewer/types.ts";
import { regionOn } from "./pointed-objects.ts";

/** Region of an object in a frame of a video: tracking starts from it. */
export interface ClipRegion {
  /** The object's number: regions with the same one correct how one object is followed. */
  readonly objectId: number;
  /** From the video's start. */
  readonly timeSeconds: number;
  /** The object's label, the same in all of its regions. */
  readonly label?: string | undefined;
  readonly region: Region;
}

/** Regions as a job of the video names them. */
export const regionsOn = (
  taskId: string,
  regions: readonly ClipRegion[],
): components["schemas"]["ClipRegion"][] =>
  regions.map(({ region, objectId, timeSeconds, label }) => ({
    ...regionOn(taskId, region),
    timeSeconds,
    objectId,
    ...(label !== undefined && { label }),
  }));

/** The numbers of the objects that are pointed at, in the order in which they came. */
export const objectIdsIn = (regions: readonly ClipRegion[]): number[] => [
  ...new Set(regions.map(({ objectId }) => objectId)),
];

/** A number that no object has. */
export const nextObjectId = (regions: readonly ClipRegion[]): number =>
  1 + Math.max(0, ...objectIdsIn(regions));

const isBox = ({ region }: Pick<ClipRegion, "region">): boolean => "box" in region;

/**
 * Regions with one more. It replaces that of the same object, time and kind: further points are handed over with those before
 * them. It gets the object's name.
 */
export function withRegion(
  regions: readonly ClipRegion[],
  added: Omit<ClipRegion, "label">,
): readonly ClipRegion[] {
  const named = regions.find(({ objectId, label }) => objectId === added.objectId && label !== undefined);
  const region: ClipRegion = { ...added, ...(named !== undefined && { label: named.label }) };
  const at = regions.findIndex(
    (other) =>
      other.objectId === added.objectId &&
      other.timeSeconds === added.timeSeconds &&
      isBox(other) === isBox(added),
  );
  return at < 0 ? [...regions, region] : regions.with(at, region);
}

/** Regions without those of an object. */
export const withoutObject = (regions: readonly ClipRegion[], objectId: number): readonly ClipRegion[] =>
  regions.filter((region) => region.objectId !== objectId);

/** Gives an object another name. */
export const withName = (
  regions: readonly ClipRegion[],
  objectId: number,
  label: string,
): readonly ClipRegion[] =>
  regions.map((region) => (region.objectId === objectId ? { ...region, label } : region));

/**
 * Regions in place of those of a job that was created elsewhere, whose result does not say where it pointed at: the box of
 * each object in the frame in which it was surest.
 */
export const regionsOfTracks = (tracks: readonly Track[]): ClipRegion[] =>
  tracks.flatMap(({ objectId, region, label, sightings }) => {
    const [surest] = sightings.toSorted((a, b) => b.confidence - a.confidence);
    if (region === undefined || surest === undefined) return [];
    const { timeSec, box } = surest;
    return [{ objectId, timeSeconds: timeSec, ...(label !== undefined && { label }), region: { box } }];
  });
