import { mapParallel, stemOf, uniqueNames } from "segmentation-client";
import type { ExportMask, ExportPicture } from "../types.ts";
import { type Classes, classesOf, type Entry } from "./classes.ts";

/** A picture of an entry with its masks, under the name that its files have. */
export interface Subject extends Omit<ExportPicture, "masks"> {
  /** Its place among all pictures of the entry, from 1: its id in COCO. */
  readonly imageId: number;
  /** The name of its files without an extension. No two pictures of the entry share it. */
  readonly stem: string;
  /** Returns a file name with another stem. */
  readonly fileName: string;
  /** The masks to export. */
  readonly masks: readonly ExportMask[];
  /** A mask from which its size can be read, hidden or not; null if it has none. */
  readonly anyMask: Blob | null;
}

/** All pictures of an entry with all their masks, and the classes of their objects. */
export interface LoadedEntry {
  readonly subjects: readonly Subject[];
  readonly classes: Classes;
}

/** Number of pictures whose masks are fetched in parallel. */
const PARALLEL = 4;

/** Fetches the masks of the pictures of an entry, without the missing ones. @throws SegmentationError */
export async function loadEntry(
  pictures: readonly ExportPicture[],
  known: Omit<Entry, "labels">,
  signal: AbortSignal,
): Promise<LoadedEntry> {
  const stems = uniqueNames(new Map(pictures.map(({ taskId, name }) => [taskId, stemOf(name)])));
  const all = await mapParallel(pictures, PARALLEL, signal, async ({ masks: fetch, ...picture }, i) => {
    const masks = picture.isMissing === true ? [] : await fetch();
    const stem = stems.get(picture.taskId) ?? picture.taskId;
    const fileName = stem + picture.name.slice(stemOf(picture.name).length);
    return { ...picture, masks, stem, fileName, imageId: i + 1, anyMask: masks[0]?.png ?? null };
  });
  const subjects = all.filter(({ isMissing }) => isMissing !== true);
  const labels = subjects.flatMap(({ masks }) => masks.map(({ label }) => label));
  return { subjects, classes: classesOf({ ...known, labels }) };
}

/** Leaves the hidden masks of a picture out. */
export const shownOnly = (subject: Subject): Subject => ({
  ...subject,
  masks: subject.masks.filter(({ isShown }) => isShown),
});
