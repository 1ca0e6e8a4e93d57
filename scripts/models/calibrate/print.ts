import { formatTable } from "../../demo/table.ts";
import type { CalibrationReport } from "./calibrate.ts";

const share = (value: number | null): string => (value === null ? "-" : value.toFixed(3));

/** The fit and its reliability table for a terminal. */
export function calibrationLines(report: CalibrationReport): string[] {
  const { manifest, finds, right, before, after, crossFitted } = report;
  const { bins, error } = crossFitted;
  return [
    `fitted to ${finds} finds, ${right} of them right`,
    `offset ${before.offset} → ${after.offset}, slope ${before.slope} → ${after.slope}, written to ${manifest}`,
    "",
    "Confidences from fits to other pictures:",
    ...formatTable(
      ["confidence", "finds", "mean", "right"],
      bins
        .filter((bin) => bin.finds > 0)
        .map(({ from, to, finds: count, claimed, right: true_ }) => [
          `${from.toFixed(1)} to ${to.toFixed(1)}`,
          count,
          share(claimed),
          share(true_),
        ]),
    ),
    `expected calibration error ${share(error)}`,
  ];
}
