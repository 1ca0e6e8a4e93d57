import type { Size } from "../size.ts";

/** The longest side, in pixels, with which a clip is processed and shown. */
const LONGEST_SIDE = 2048;

/**
 * The size in pixels at which a clip's frames are processed: as shown, shrunk to at most 2048 on the long side, and even
 * on both, as H.264 with 4:2:0 chroma requires. Never enlarged, except for a side of one pixel, which becomes two.
 */
export function workingSize(clip: Size): Size {
  const longest = Math.max(clip.width, clip.height, LONGEST_SIDE);
  const shrink = (side: number): number => Math.max(2 * Math.floor((side * LONGEST_SIDE) / longest / 2), 2);
  return { width: shrink(clip.width), height: shrink(clip.height) };
}
