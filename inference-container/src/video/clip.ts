import type { ClipInput } from "./input-arguments.ts";
import type { Size } from "./size.ts";

/** A video to process. Its size is that of its frames as a player shows them: rotation and non-square pixels applied. */
export interface Clip extends Size {
  /**
   * Presentation time in seconds of each frame as a player shows them (edit lists applied), ascending. 0 is where players
   * begin: at whatever comes first in the file, sound included, so that the first frame may have a later time.
   */
  readonly times: Float64Array;
  /** What is needed to decode it. */
  readonly decoding: {
    readonly input: ClipInput;
    /** Its colour matrix if the file doesn't name one and FFmpeg would assume another. */
    readonly colourMatrix: "bt709" | null;
    /** Whether the file has no presentation times, so that they follow from the order of its frames. */
    readonly untimed: boolean;
  };
}
