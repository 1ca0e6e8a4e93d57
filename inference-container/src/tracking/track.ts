import type { Box } from "../models/box.ts";
import { correct, type Motion, predict } from "./kalman.ts";

// In sizes of the object (the square root of its box's area), so that near and far ones are treated alike.
const MEASUREMENT_ERROR = 0.05;
const FIRST_SPEED = 1.5;
const ACCELERATION = 1;

/**
 * One object over time. Its centre moves as the filter says, while its sides stay as they were last seen: they change
 * little from frame to frame but where the object is cut off, and there nothing could be foretold from them.
 */
export class Track {
  readonly id: number;
  readonly promptIndex: number;
  #x: Motion;
  #y: Motion;
  #lastSeen: number;
  #lastBox: Box;

  constructor(id: number, promptIndex: number, timeSec: number, box: Box) {
    this.id = id;
    this.promptIndex = promptIndex;
    this.#x = resting((box[0] + box[2]) / 2, sizeOf(box));
    this.#y = resting((box[1] + box[3]) / 2, sizeOf(box));
    this.#lastSeen = timeSec;
    this.#lastBox = box;
  }

  /** The time of the last observation. */
  get lastSeen(): number {
    return this.#lastSeen;
  }

  /** The last observation. */
  get lastBox(): Box {
    return this.#lastBox;
  }

  /** Where the object should be at a time that isn't before the last observation. */
  boxAt(timeSec: number): Box {
    const x = this.#later(this.#x, timeSec).position;
    const y = this.#later(this.#y, timeSec).position;
    const halfWidth = (this.#lastBox[2] - this.#lastBox[0]) / 2;
    const halfHeight = (this.#lastBox[3] - this.#lastBox[1]) / 2;
    return [x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight];
  }

  /** Takes in where the object was seen, not before the last observation. */
  observe(timeSec: number, box: Box): void {
    const noise = (MEASUREMENT_ERROR * sizeOf(box)) ** 2;
    this.#x = correct(this.#later(this.#x, timeSec), (box[0] + box[2]) / 2, noise);
    this.#y = correct(this.#later(this.#y, timeSec), (box[1] + box[3]) / 2, noise);
    this.#lastSeen = timeSec;
    this.#lastBox = box;
  }

  #later(motion: Motion, timeSec: number): Motion {
    return predict(motion, timeSec - this.#lastSeen, ACCELERATION * sizeOf(this.#lastBox) ** 2);
  }
}

/** What is known of one coordinate after the first sight: a position, and how fast such objects are at most. */
function resting(position: number, size: number): Motion {
  return {
    position,
    velocity: 0,
    positionVariance: (MEASUREMENT_ERROR * size) ** 2,
    covariance: 0,
    velocityVariance: (FIRST_SPEED * size) ** 2,
  };
}

function sizeOf(box: Box): number {
  return Math.sqrt((box[2] - box[0]) * (box[3] - box[1]));
}
