/** Turns a detector's scores into confidences: the probability that a detection with such a score is right. */
import { sigmoid } from "./arithmetic.ts";

/** confidence = sigmoid(offset + slope × logit(score)): Platt scaling (Platt, 1999), fitted on labeled pictures. */
export interface Confidence {
  readonly offset: number;
  readonly slope: number;
}

/** The fit that changes nothing. */
export const AS_IT_IS: Confidence = { offset: 0, slope: 1 };

/** The least distance of scores from 0 and 1: their logits must stay finite. */
const LEAST = 1e-6;

/** The confidence of a score, both 0 to 1. It grows with the score. */
export function confidenceOf(score: number, { offset, slope }: Confidence): number {
  return sigmoid(offset + slope * logit(score));
}

/** The score that has a confidence, both 0 to 1. */
export function scoreOf(confidence: number, { offset, slope }: Confidence): number {
  return sigmoid((logit(confidence) - offset) / slope);
}

/** The log-odds of a probability, which may be 0 or 1. */
export function logit(probability: number): number {
  const p = Math.min(Math.max(probability, LEAST), 1 - LEAST);
  return Math.log(p / (1 - p));
}
