import type { Corners } from "@segmentation/masks";
import { cosine } from "../models/arithmetic.ts";

// In units of the object's size (the square root of its box's area): near and far objects count alike.
const MEASUREMENT_ERROR = 0.05;
const FIRST_SPEED = 1.5;
const ACCELERATION = 1;

/**
 * One object over time. The filter predicts its center, while its sides stay as last seen: they change little from
 * frame to frame unless the object is cut off, and then a prediction would be wrong.
 */
export class Track {
  readonly id: number;
  readonly promptIndex: number;
  #x: Motion;
  #y: Motion;
  #lastSeen: number;
  #lastBox: Corners;
  #appearance: Float32Array | undefined;

  constructor(id: number, promptIndex: number, timeSec: number, box: Corners) {
    this.id = id;
    this.promptIndex = promptIndex;
    this.#x = resting((box[0] + box[2]) / 2, sizeOf(box));
    this.#y = resting((box[1] + box[3]) / 2, sizeOf(box));
    this.#lastSeen = timeSec;
    this.#lastBox = box;
  }

  /** The time of the last observation, in seconds. */
  get lastSeen(): number {
    return this.#lastSeen;
  }

  /** The last observation. */
  get lastBox(): Corners {
    return this.#lastBox;
  }

  /** The object's predicted box at a time not before the last observation. */
  boxAt(timeSec: number): Corners {
    const x = this.#later(this.#x, timeSec).position;
    const y = this.#later(this.#y, timeSec).position;
    const halfWidth = (this.#lastBox[2] - this.#lastBox[0]) / 2;
    const halfHeight = (this.#lastBox[3] - this.#lastBox[1]) / 2;
    return [x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight];
  }

  /** Adds an observation, not before the last one. */
  observe(timeSec: number, box: Corners): void {
    const noise = (MEASUREMENT_ERROR * sizeOf(box)) ** 2;
    this.#x = correct(this.#later(this.#x, timeSec), (box[0] + box[2]) / 2, noise);
    this.#y = correct(this.#later(this.#y, timeSec), (box[1] + box[3]) / 2, noise);
    this.#lastSeen = timeSec;
    this.#lastBox = box;
  }

  /** Remembers its appearance in its last observation; undefined if that is unknown. */
  looksLike(appearance: Float32Array | undefined): void {
    this.#appearance = appearance ?? this.#appearance;
  }

  /** The cosine between its last appearance and `appearance`, 0 to 1; 0 if either is unknown. */
  likeness(appearance: Float32Array | undefined): number {
    if (appearance === undefined || this.#appearance === undefined) return 0;
    return Math.max(cosine(this.#appearance, appearance), 0);
  }

  #later(motion: Motion, timeSec: number): Motion {
    return predict(motion, timeSec - this.#lastSeen, ACCELERATION * sizeOf(this.#lastBox) ** 2);
  }
}

/** The state of one coordinate after the first observation: its position, and a variance that allows for the fastest objects. */
function resting(position: number, size: number): Motion {
  return {
    position,
    velocity: 0,
    positionVariance: (MEASUREMENT_ERROR * size) ** 2,
    covariance: 0,
    velocityVariance: (FIRST_SPEED * size) ** 2,
  };
}

function sizeOf(box: Corners): number {
  return Math.sqrt((box[2] - box[0]) * (box[3] - box[1]));
}

/*
 * A Kalman filter for one coordinate that moves at a constant velocity, except for white-noise acceleration:
 * Y. Bar-Shalom, X. R. Li and T. Kirubarajan, "Estimation with Applications to Tracking and Navigation", Wiley 2001,
 * 6.2.2. It is the continuous form: time steps may have any length, and two steps equal one of their total length.
 */

/** The estimated state, and the variances and covariance of its errors, in pixels and seconds. */
export interface Motion {
  readonly position: number;
  readonly velocity: number;
  readonly positionVariance: number;
  readonly covariance: number;
  readonly velocityVariance: number;
}

/** The state `seconds` later; `acceleration` is the noise's spectral density in pixels² / seconds³. */
export function predict(motion: Motion, seconds: number, acceleration: number): Motion {
  const { position, velocity, positionVariance, covariance, velocityVariance } = motion;
  return {
    position: position + seconds * velocity,
    velocity,
    positionVariance:
      positionVariance +
      2 * seconds * covariance +
      seconds ** 2 * velocityVariance +
      (seconds ** 3 / 3) * acceleration,
    covariance: covariance + seconds * velocityVariance + (seconds ** 2 / 2) * acceleration,
    velocityVariance: velocityVariance + seconds * acceleration,
  };
}

/** The state after the position was measured; `noise` is the measurement's error variance in pixels², above 0. */
export function correct(motion: Motion, measured: number, noise: number): Motion {
  const { position, velocity, positionVariance, covariance, velocityVariance } = motion;
  const gain = positionVariance / (positionVariance + noise);
  const velocityGain = covariance / (positionVariance + noise);
  return {
    position: position + gain * (measured - position),
    velocity: velocity + velocityGain * (measured - position),
    positionVariance: (1 - gain) * positionVariance,
    covariance: (1 - gain) * covariance,
    velocityVariance: velocityVariance - velocityGain * covariance,
  };
}
