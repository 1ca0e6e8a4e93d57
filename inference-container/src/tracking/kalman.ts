/**
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
