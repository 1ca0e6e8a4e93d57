import {
  AS_IT_IS,
  type Confidence,
  confidenceOf,
  logit,
} from "../../inference-container/src/models/confidence.ts";
import type { Outcome } from "./measures/calibration.ts";

const MOST_STEPS = 100;
const PRECISION = 1e-10;

/**
 * The fit that makes scores the probability of being right, by maximum likelihood: logistic regression by Newton's
 * method. Right and wrong are slightly less than certain (Platt, "Probabilistic Outputs for Support Vector Machines",
 * 1999), so that perfectly separating scores have a fit too. The same outcomes give the same fit.
 * @returns the fit that changes nothing if all outcomes are right, or all wrong
 */
export function fitConfidence(outcomes: readonly Outcome[]): Confidence {
  const right = outcomes.filter((outcome) => outcome.right).length;
  const wrong = outcomes.length - right;
  if (right === 0 || wrong === 0) return AS_IT_IS;
  const points = outcomes.map((outcome) => ({
    x: logit(outcome.score),
    target: outcome.right ? (right + 1) / (right + 2) : 1 / (wrong + 2),
  }));
  // Starts from the share of right outcomes: from scores that claim far too much, Newton's first step would lead
  // astray.
  let [offset, slope] = [Math.log((right + 1) / (wrong + 1)), 0];
  for (let step = 0; step < MOST_STEPS; step += 1) {
    // Gradient and Hessian of the negative log-likelihood.
    let [g0, g1, h00, h01, h11] = [0, 0, 0, 0, 0];
    for (const { x, target } of points) {
      const p = 1 / (1 + Math.exp(-(offset + slope * x)));
      const weight = p * (1 - p);
      g0 += p - target;
      g1 += (p - target) * x;
      h00 += weight;
      h01 += weight * x;
      h11 += weight * x * x;
    }
    const determinant = h00 * h11 - h01 * h01;
    if (!(determinant > 0)) return AS_IT_IS;
    const [d0, d1] = [(h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant];
    offset -= d0;
    slope -= d1;
    if (Math.abs(d0) + Math.abs(d1) < PRECISION) break;
  }
  return Number.isFinite(offset) && slope > 0 ? { offset, slope } : AS_IT_IS;
}

/** Applies `second` to the confidences of `first`, as one fit. */
export function composed(first: Confidence, second: Confidence): Confidence {
  return { offset: second.offset + second.slope * first.offset, slope: second.slope * first.slope };
}

/** An outcome of one of several pictures. */
export interface PictureOutcome extends Outcome {
  readonly picture: number;
}

/**
 * Each outcome with its confidence by a fit to other pictures only, in `folds` groups: it shows how a fit serves new
 * pictures.
 */
export function crossFitted(outcomes: readonly PictureOutcome[], folds: number): Outcome[] {
  return Array.from({ length: folds }, (_, fold) => {
    const fit = fitConfidence(outcomes.filter(({ picture }) => picture % folds !== fold));
    return outcomes
      .filter(({ picture }) => picture % folds === fold)
      .map(({ score, right }) => ({ score: confidenceOf(score, fit), right }));
  }).flat();
}
