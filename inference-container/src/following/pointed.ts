/** Objects where they were pointed at. */
import type { Box } from "../models/box.ts";
import { gridBounds } from "../models/mask-shape.ts";
import { asShare, cosine } from "../models/arithmetic.ts";
import type { DrawnRegion, Followable, LogitGrid, OpenPicture, Region } from "../models/model.ts";
import { obeying } from "../models/sam2/regions.ts";
import { coverage } from "../models/sam2/appearance.ts";
import type { Size } from "../size.ts";
import { lookOf } from "./choice.ts";
import { glimpse, type Remembered } from "./memory.ts";
import { windowAbout } from "./parts.ts";

/** An object in a frame in which it was pointed at. */
export interface Moment {
  readonly timeSec: number;
  readonly mask: LogitGrid;
  readonly box: Box;
  readonly score: number;
  readonly look: Float32Array;
  readonly remembered: Remembered;
}

/** An object, wherever it was pointed at, by time; at least once. */
export interface PointedAt {
  readonly objectId: number;
  readonly moments: readonly Moment[];
}

/**
 * Draws the object for a region; undefined if nothing can be drawn.
 * @param first the object where it was first pointed at: which of the masks for a correction is meant shows in what they look like
 * @param frame the frame's size
 */
export async function momentOf(
  timeSec: number,
  region: Region,
  first: Moment | undefined,
  picture: OpenPicture,
  frame: Size,
): Promise<Moment | undefined> {
  const { following } = picture;
  const drawn =
    first === undefined
      ? (await picture.draw([region]))[0]
      : await corrected(region, first, following, frame);
  if (following === undefined || drawn === undefined) return undefined;
  const box = gridBounds(drawn.mask, frame);
  if (box === undefined) return undefined;
  const { mask, quality } = drawn;
  const looks = await following.looks();
  const inside = coverage(mask, looks.width, looks.height);
  const known = glimpse(looks, windowAbout(box, frame, looks), inside);
  return {
    timeSec,
    mask,
    box,
    score: asShare(quality),
    look: lookOf(looks, inside),
    remembered: { timeSec, sureness: 1, known },
  };
}

/** The mask for a correction: of those that obey its points the best by its quality and by what the object looks like. */
async function corrected(
  region: Region,
  { look }: Moment,
  following: Followable | undefined,
  frame: Size,
): Promise<DrawnRegion | undefined> {
  if (following === undefined) return undefined;
  const looks = await following.looks();
  const offers = (await following.offers([region])).flat();
  const valueOf = ({ mask, quality }: DrawnRegion): number =>
    quality * Math.max(cosine(lookOf(looks, coverage(mask, looks.width, looks.height)), look), 0);
  const [top] = obeying(offers, region, frame).toSorted((a, b) => valueOf(b) - valueOf(a));
  return top && { ...top, mask: following.cleaned(top.mask) };
}
