/** The logistic function, and unit vectors, with which a model compares two things. */

/** The probability that has these log-odds. */
export const sigmoid = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds));

/** The nearest share, from 0 to 1: estimates of a model may lie slightly outside. */
export const asShare = (value: number): number => Math.min(Math.max(value, 0), 1);

/** The vector with length 1; zeros stay zeros. */
export function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

/** The cosine between two vectors of length 1. */
export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}
