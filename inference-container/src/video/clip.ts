import type { Problem } from "@segmentation/protocol";
import type { Size } from "@segmentation/masks";
import type { FrameList } from "./frame-list.ts";
import type { ClipInput } from "./input-arguments.ts";
import type { Colours } from "./tone-mapping.ts";

/** A video to process. Its size is that of its frames as a player shows them: rotation and non-square pixels applied. */
export interface Clip extends Size {
  /**
   * Presentation time in seconds of each frame in a player (edit lists applied), equal to a browser's `currentTime`.
   * They don't descend. The first frame may come later than 0, but none comes before.
   */
  readonly times: Float64Array;
  /** The end of the last frame, in seconds. */
  readonly end: number;
  /**
   * The key frames that the file declares, as indexes into the times: decoding can begin there. Empty if the file does
   * not give the position of a time.
   */
  readonly keys: readonly number[];
  /** The colors of high dynamic range; null if it is of standard range. */
  readonly hdr: Colours | null;
  /** Notices for its owner: the file has several videos, or ends early. */
  readonly notices: readonly Problem[];
  /** Facts for decoding it. */
  readonly decoding: {
    readonly input: ClipInput;
    readonly codec: string;
    /** The list of its frames, which decoding may correct. */
    readonly frames: FrameList;
    /** The video's times, in ticks of the file. */
    readonly stamps: Float64Array;
    /** FFmpeg's filters that turn its frames upright. */
    readonly turn: readonly string[];
    /** True if its frames have transparency. */
    readonly hasAlpha: boolean;
    /** Its color matrix if the file doesn't name one and FFmpeg would assume another. */
    readonly colourMatrix: "bt709" | null;
    /** True if high dynamic range is mapped to standard range; otherwise it looks pale. */
    readonly toneMapped: boolean;
  };
}

/** The longest side, in pixels, of a processed and displayed video. */
const LONGEST_SIDE = 2048;

/**
 * The size in pixels at which a video's frames are processed: as shown, shrunk to at most 2048 on the long side, and even
 * on both, as H.264 with 4:2:0 chroma requires. Never enlarged, except for a side of one pixel, which becomes two.
 */
export function workingSize(clip: Size): Size {
  const longest = Math.max(clip.width, clip.height, LONGEST_SIDE);
  const shrink = (side: number): number => Math.max(2 * Math.floor((side * LONGEST_SIDE) / longest / 2), 2);
  return { width: shrink(clip.width), height: shrink(clip.height) };
}
