import { formatTable } from "../../scripts/shared/table.ts";
import type { CalibrationReport } from "./calibrate.ts";
import type { Evaluation } from "./evaluate.ts";
import { type Figures, SIZES } from "./figures.ts";
import type { Calibration } from "./measures/calibration.ts";

/** A share or an IoU with three digits; a dash where there was nothing to measure. */
export const share = (value: number | null): string => (value === null ? "-" : value.toFixed(3));

/** The evaluation as tables for a terminal. */
export function evaluationLines(evaluation: Evaluation): string[] {
  const { subject, set, threshold, timed, notices, sheet, ms } = evaluation;
  const lines = [
    subject,
    `${set.pictures} pictures, ${set.categories} categories, ${set.objects} labelled objects and ${set.crowds} labelled crowds; ` +
      `asked for scores of at least ${threshold}`,
    "",
    ...precisionTable(evaluation),
    "",
    ...thresholdTable(evaluation),
    "",
    ...reliabilityTable(evaluation.calibration),
    "",
    `time per picture  ${(ms.median ?? 0).toFixed(0)} ms (median), ${(ms.p90 ?? 0).toFixed(0)} ms (90 % of them), ${timed}`,
  ];
  if (sheet !== null) lines.push(`worst misses      ${sheet}`);
  lines.push(...notices.map((notice) => `notice            ${notice}`));
  return lines;
}

function precisionTable({ maskAp, boundaryAp, boxes, points }: Figures): string[] {
  const rows = [
    ["mask AP", ...SIZES.map((size) => share(maskAp[size].mean))],
    ["  at IoU 0.50", ...SIZES.map((size) => share(maskAp[size].at50))],
    ["  at IoU 0.75", ...SIZES.map((size) => share(maskAp[size].at75))],
    ["recall of all detections", ...SIZES.map((size) => share(maskAp[size].recall))],
    ["boundary AP", ...SIZES.map((size) => share(boundaryAp[size].mean))],
  ];
  const regions = { "IoU in labelled boxes": boxes, "IoU at a point on each": points };
  for (const [name, drawn] of Object.entries(regions)) {
    if (drawn === null) continue;
    rows.push([name, ...SIZES.map((size) => share(drawn[size].iou))]);
    rows.push(["  objects", ...SIZES.map((size) => String(drawn[size].objects))]);
  }
  return formatTable(["", ...SIZES], rows);
}

function thresholdTable({ byThreshold, cgF1 }: Figures): string[] {
  return formatTable(
    [
      "threshold",
      "finds",
      "precision",
      "recall",
      "F1",
      "IoU",
      "boundary IoU",
      "cgF1",
      "= 100 × F1+",
      "× MCC",
    ],
    byThreshold.map((row, at) => [
      row.threshold.toFixed(2),
      row.finds,
      share(row.precision),
      share(row.recall),
      share(row.f1),
      share(row.iou),
      share(row.boundaryIou),
      (cgF1[at]?.cgF1 ?? 0).toFixed(1),
      share(cgF1[at]?.positiveMicroF1 ?? null),
      share(cgF1[at]?.imageLevelMcc ?? null),
    ]),
  );
}

function reliabilityTable({ bins, error }: Calibration): string[] {
  return [
    ...formatTable(
      ["score", "finds", "mean score", "right"],
      bins
        .filter(({ finds }) => finds > 0)
        .map(({ from, to, finds, claimed, right }) => [
          `${from.toFixed(1)} to ${to.toFixed(1)}`,
          finds,
          share(claimed),
          share(right),
        ]),
    ),
    `expected calibration error  ${share(error)}`,
  ];
}

/** The fit and its reliability table for a terminal. */
export function calibrationLines(report: CalibrationReport): string[] {
  const { manifest, finds, right, before, after, crossFitted } = report;
  return [
    `fitted to ${finds} finds, ${right} of them right`,
    `offset ${before.offset} → ${after.offset}, slope ${before.slope} → ${after.slope}, written to ${manifest}`,
    "",
    "Confidences, each from a fit to other pictures:",
    ...reliabilityTable(crossFitted),
  ];
}
