import type { Held } from "../../device/held.ts";
import { Usage } from "../../device/usage.ts";
import type { Box } from "../box.ts";
import { cleanMask, type Cleaning } from "../clean-mask.ts";
import type { LogitGrid, Picture } from "../model.ts";
import type { Remembered } from "../remembered.ts";
import type { Segmenter } from "./segmenter.ts";

/** What draws, how the masks are cleaned, and where the pictures' features are kept. */
export interface Drawing {
  readonly segmenter: Segmenter;
  readonly cleaning: Cleaning;
  readonly features: Remembered<Held>;
}

/** Draws the mask of the object in each box, as it would if a detector had found the box. */
export async function drawBoxes(
  { segmenter, cleaning, features }: Drawing,
  picture: Picture,
  boxes: readonly Box[],
): Promise<LogitGrid[]> {
  const usage = new Usage();
  const { value } = await features.get(picture.contentHash, usage, () => segmenter.encode(picture, usage));
  using held = value;
  const grids = await segmenter.masks(held, boxes, picture, usage);
  return grids.map((grid) => cleanMask(grid, cleaning));
}
