import { mean } from "./statistics.ts";

/** A find's score, and whether it was right. */
export interface Outcome {
  readonly score: number;
  readonly right: boolean;
}

const BINS = 10;

/** The finds with a score in [from, to), in the last bin to 1 inclusive. */
interface Bin {
  readonly from: number;
  readonly to: number;
  readonly finds: number;
  /** The mean of the scores, the claimed share. Null without finds. */
  readonly claimed: number | null;
  /** The share of correct detections. */
  readonly right: number | null;
}

export interface Calibration {
  readonly bins: readonly Bin[];
  /**
   * The expected calibration error, 0 to 1: the mean distance between claimed and true over the bins, weighted by their
   * finds. Null without finds.
   */
  readonly error: number | null;
}

/**
 * Measures if scores are probabilities: the reliability table in bins of one width, and the expected calibration error
 * (Guo, Pleiss, Sun and Weinberger, "On Calibration of Modern Neural Networks", ICML 2017).
 */
export function calibration(outcomes: readonly Outcome[]): Calibration {
  const binOf = ({ score }: Outcome): number => Math.min(BINS - 1, Math.floor(score * BINS));
  const groups = Map.groupBy(outcomes, binOf);
  const bins = Array.from({ length: BINS }, (_, at): Bin => {
    const group = groups.get(at) ?? [];
    return {
      from: at / BINS,
      to: (at + 1) / BINS,
      finds: group.length,
      claimed: mean(group.map(({ score }) => score)),
      right: mean(group.map(({ right }) => Number(right))),
    };
  });
  const distance = bins.reduce(
    (sum, { finds, claimed, right }) => sum + finds * Math.abs((claimed ?? 0) - (right ?? 0)),
    0,
  );
  return { bins, error: outcomes.length === 0 ? null : distance / outcomes.length };
}
