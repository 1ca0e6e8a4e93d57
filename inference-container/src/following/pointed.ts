/** Draws objects in the frames in which regions mark them. */
import { asShare, cosine } from "../models/arithmetic.ts";
import { chosen, type Corners, gridBounds, type LogitGrid, obeying, type Region } from "@segmentation/masks";
import type { DrawnRegion } from "../models/model.ts";
import { coverage } from "../models/sam2/appearance.ts";
import { descriptorOf } from "./choice.ts";
import type { Found, Scene } from "./find.ts";
import { glimpse, type Remembered } from "./memory.ts";
import { windowAbout } from "./parts.ts";
import { standingOut } from "./standing-out.ts";

/** An object to track, with all regions that mark it. */
export interface PointedAt {
  readonly objectId: number;
  /** By the times of their frames, at least one: the first draws the object, and the others correct it. */
  readonly regions: ReadonlyMap<number, Region>;
}

/** An object in a frame in which a region marks it. */
export interface Moment {
  readonly region: Region;
  readonly mask: LogitGrid;
  readonly box: Corners;
  readonly score: number;
  readonly descriptor: Float32Array;
  readonly remembered: Remembered;
}

/** Facts about an object before a region corrects it. */
export interface Corrected {
  /** Its descriptor where a region marked it before. */
  readonly descriptor: Float32Array;
  /** The result of following it into this frame; absent if it was lost. */
  readonly followed: Pick<Found, "mask" | "box" | "value"> | undefined;
}

/**
 * Draws the object for a region; undefined if nothing can be drawn.
 * @param before absent if no region marked it before
 */
export async function momentOf(
  region: Region,
  before: Corrected | undefined,
  scene: Scene,
): Promise<Moment | undefined> {
  const { frame, timeSec, picture, appearance } = scene;
  const drawn = before === undefined ? await drawnIn(region, scene) : await corrected(region, before, scene);
  if (drawn === undefined) return undefined;
  const mask = picture.cleaned(drawn.mask, region);
  const box = gridBounds(mask, frame);
  if (box === undefined) return undefined;
  const inside = coverage(mask, appearance.width, appearance.height);
  const known = glimpse(appearance, windowAbout(box, frame, appearance), inside);
  return {
    region,
    mask,
    box,
    // The decoder rates a mask in parts low, but a correction must not lower a frame's score.
    score: Math.max(asShare(drawn.quality), before?.followed?.value ?? 0),
    descriptor: descriptorOf(appearance, inside),
    remembered: { timeSec, sureness: 1, known },
  };
}

/**
 * If the decoder's estimate for a box is lower, the model gets points on the box's most distinct content. Of the first
 * frames of 20 videos of DAVIS 2016 one is below (kite-surf's with 0.64; the next has 0.78). Above, such points did harm
 * (docs/decisions/0059-following.md).
 */
const UNSURE = 0.7;

/** The mask that the model draws for a region, as in a picture. For an unsure box it draws again from points. */
async function drawnIn(region: Region, scene: Scene): Promise<DrawnRegion | undefined> {
  const { picture, frame, appearance } = scene;
  const [offers = []] = await picture.offers([region]);
  if (offers.length === 0) return undefined;
  const drawn = chosen(offers, region, frame);
  const { box, points, prior } = region;
  if (drawn.quality >= UNSURE || box === undefined || points !== undefined || prior !== undefined)
    return drawn;
  const standing = standingOut(box, appearance, frame);
  return standing.length === 0 ? drawn : await drawnIn({ box, points: standing }, scene);
}

/**
 * The mask for a correction. Points on the tracked object and around it change its mask, as in a picture. A box, or
 * points elsewhere, mark the object again: the best mask that obeys the region, by quality and likeness.
 */
async function corrected(
  region: Region,
  { descriptor, followed }: Corrected,
  scene: Scene,
): Promise<DrawnRegion | undefined> {
  if (followed !== undefined && isAbout(region, followed.box, scene))
    return drawnIn({ ...region, prior: followed.mask }, scene);
  const { picture, frame, appearance } = scene;
  const offers = (await picture.offers([region])).flat();
  const valueOf = ({ mask, quality }: DrawnRegion): number =>
    quality *
    Math.max(
      cosine(descriptorOf(appearance, coverage(mask, appearance.width, appearance.height)), descriptor),
      0,
    );
  return obeying(offers, region, frame).toSorted((a, b) => valueOf(b) - valueOf(a))[0];
}

/** True if a region has no box, and all its points on the object lie on the tracked object or around it. */
function isAbout({ box, points = [] }: Region, followed: Corners, { frame, appearance }: Scene): boolean {
  const window = windowAbout(followed, frame, appearance);
  const [cellX, cellY] = [frame.width / appearance.width, frame.height / appearance.height];
  return (
    box === undefined &&
    points.every(
      ({ x, y, label }) =>
        label === 0 || (window[Math.floor(y / cellY) * appearance.width + Math.floor(x / cellX)] ?? 0) > 0,
    )
  );
}
