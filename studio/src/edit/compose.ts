import {
  type Bitmap,
  measureMask,
  packMask,
  readMaskPng,
  rowRunsOf,
  unpackMask,
  writeGreyPng,
} from "@segmentation/masks";
import type { Recipe } from "../workspace/rules/edit-history.ts";
import { paint, partOf, partsOf, union } from "./pixels.ts";

/** A mask that a recipe has made. */
export interface MadeMask {
  /** As the service writes masks: a PNG of one bit per pixel. */
  readonly png: Blob;
  /** The number of pixels inside. */
  readonly area: number;
  /** How many connected parts it has. */
  readonly parts: number;
}

/** Makes a mask. @param found the files of masks that the recipe names, by object @throws RangeError if one is damaged */
export async function cook(recipe: Recipe, found: ReadonlyMap<string, Blob>): Promise<MadeMask> {
  const bitmap = await bitmapOf(recipe, found);
  const packed = packMask(bitmap);
  return {
    png: await writeGreyPng({ ...packed, bits: 1 }),
    area: measureMask(packed).area,
    parts: partsOf(rowRunsOf(bitmap)).length,
  };
}

async function bitmapOf(recipe: Recipe, found: ReadonlyMap<string, Blob>): Promise<Bitmap> {
  switch (recipe.from) {
    case "found": {
      const file = found.get(recipe.object);
      if (file === undefined) throw new RangeError(`There is no mask ${recipe.object}.`);
      return unpackMask(await readMaskPng(new Uint8Array(await file.arrayBuffer())));
    }
    case "union":
      return union(await Promise.all(recipe.of.map((each) => bitmapOf(each, found))));
    case "part":
      return partOf(rowRunsOf(await bitmapOf(recipe.of, found)), recipe.part, recipe.parts);
    case "strokes": {
      const bitmap = await bitmapOf(recipe.of, found);
      for (const stroke of recipe.strokes) paint(bitmap, stroke);
      return bitmap;
    }
  }
}

/** The objects that a recipe takes masks of. */
export function ingredientsOf(recipe: Recipe): readonly string[] {
  switch (recipe.from) {
    case "found":
      return [recipe.object];
    case "union":
      return recipe.of.flatMap(ingredientsOf);
    case "part":
    case "strokes":
      return ingredientsOf(recipe.of);
  }
}
