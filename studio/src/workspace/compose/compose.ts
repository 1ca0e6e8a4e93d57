import {
  type Bitmap,
  decodeRle,
  measureMask,
  packMask,
  readMaskPng,
  type Rle,
  rleOf,
  rowRunsOf,
  unpackMask,
  writeGreyPng,
} from "@segmentation/masks";
import type { Composition } from "../rules/edit-history.ts";
import { paint, partOf, partsOf, union } from "./pixels.ts";

/** Composed mask of an edited object. */
export interface ComposedMask {
  /** As the service writes masks: a PNG of one bit per pixel. */
  readonly png: Blob;
  /** The number of pixels inside. */
  readonly area: number;
  /** Number of its connected parts. */
  readonly parts: number;
  /** As annotations have it. */
  readonly rle: Rle;
}

/** Composes a mask. @param found the files of the masks that the composition names, by object @throws RangeError if one is damaged */
export async function composeMask(
  composition: Composition,
  found: ReadonlyMap<string, Blob>,
): Promise<ComposedMask> {
  const bitmap = await bitmapOf(composition, found);
  const packed = packMask(bitmap);
  const runs = rowRunsOf(bitmap);
  return {
    png: await writeGreyPng({ ...packed, bits: 1 }),
    area: measureMask(packed).area,
    parts: partsOf(runs).length,
    rle: rleOf(runs),
  };
}

async function bitmapOf(composition: Composition, found: ReadonlyMap<string, Blob>): Promise<Bitmap> {
  switch (composition.from) {
    case "found": {
      const file = found.get(composition.object);
      if (file === undefined) throw new RangeError(`There is no mask ${composition.object}.`);
      return unpackMask(await readMaskPng(new Uint8Array(await file.arrayBuffer())));
    }
    case "drawn":
      return decodeRle(composition.mask);
    case "union":
      return union(await Promise.all(composition.of.map((each) => bitmapOf(each, found))));
    case "part":
      return partOf(rowRunsOf(await bitmapOf(composition.of, found)), composition.part, composition.parts);
    case "strokes": {
      const bitmap = await bitmapOf(composition.of, found);
      for (const stroke of composition.strokes) paint(bitmap, stroke);
      return bitmap;
    }
  }
}

/** Returns the objects whose masks a composition uses. */
export function sourceObjectsOf(composition: Composition): readonly string[] {
  switch (composition.from) {
    case "found":
      return [composition.object];
    case "drawn":
      return [];
    case "union":
      return composition.of.flatMap(sourceObjectsOf);
    case "part":
    case "strokes":
      return sourceObjectsOf(composition.of);
  }
}
