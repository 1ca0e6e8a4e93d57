import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Confidence } from "../../inference-container/src/models/confidence.ts";
import { MANIFEST_NAME, readManifest } from "../../inference-container/src/models/folder.ts";
import { Manifest } from "../../inference-container/src/models/manifest.ts";
import { BoxChoice } from "../../inference-container/src/models/sam2/manifest.ts";
import { Failure } from "../../scripts/shared/command-line.ts";
import { replaceFile } from "../../scripts/shared/state/private-file.ts";
import type { CalibrateCommand } from "./command/arguments.ts";
import { askSet } from "./ask-set.ts";
import { composed, crossFitted, fitConfidence, type PictureOutcome } from "./fit.ts";
import { filledBounds } from "./measures/bounds.ts";
import { type Calibration, calibration } from "./measures/calibration.ts";
import { AREAS, match } from "./measures/matching.ts";
import type { Query } from "./measures/query.ts";
import { withModelFolder } from "./model-folder.ts";
import { queriesOf } from "./queries.ts";
import { readSet } from "./read-set.ts";

/** The fit, and a comparison of confidences fitted to other pictures with the share of correct detections. */
export interface CalibrationReport {
  readonly manifest: string;
  readonly finds: number;
  readonly right: number;
  readonly before: Confidence;
  readonly after: Confidence;
  readonly crossFitted: Calibration;
}

const FOLDS = 5;
/** With less than this a detection shows something else; with more, but less than 0.5, it shows the object badly (TIDE). */
const THERE_IOU = 0.1;
/** The manifest of a family that finds boxes first. */
const Fitted = Manifest.extend({ detection: BoxChoice.pick({ confidence: true }).loose() });
/** The part that calibration rewrites; everything else stays unchanged. */
const Written = z.looseObject({ detection: z.looseObject({}) });

/**
 * Fits a model folder's confidences to labeled pictures, and writes the fit into the folder's manifest. Asks the model,
 * of a family that finds boxes first, for all categories of the pictures. The same pictures give the same fit.
 *
 * A find is right if it shows an object that no more confident find has: its bounding box overlaps the object's by more
 * than a background error does (Bolya et al., "TIDE", ECCV 2020). The quality of the mask doesn't count: no score of
 * boxes can predict it.
 * @throws Failure if the folder or the set cannot be used
 */
export async function calibrate(command: CalibrateCommand): Promise<CalibrationReport> {
  const { folder, provider, pictures, labels } = command;
  const manifest = await readManifest(folder, Manifest.loose());
  if (manifest["detection"] === undefined)
    throw new Failure(
      `${folder} is of the family ${manifest.family}, whose manifest has no confidence to fit.`,
    );
  const { detection } = await readManifest(folder, Fitted);
  const { set, pathOf } = await readSet(pictures, labels);
  const objects = set.objects.map((object) => Object.assign({}, object, { mask: filledBounds(object.mask) }));
  const boxed = { ...set, objects };
  const answers = await withModelFolder(folder, provider, (subject) =>
    askSet(subject, { set: boxed, pathOf }, { threshold: 0, draws: false }, process.stderr),
  );
  const found = answers.found.map((find) => Object.assign({}, find, { mask: filledBounds(find.mask) }));
  const outcomes = queriesOf(boxed, found).flatMap(outcomesOf);
  const fit = composed(detection.confidence, fitConfidence(outcomes));
  const after = { offset: rounded(fit.offset), slope: rounded(fit.slope) };
  const path = join(folder, MANIFEST_NAME);
  await writeConfidence(path, after);
  return {
    manifest: path,
    finds: outcomes.length,
    right: outcomes.filter(({ right }) => right).length,
    before: detection.confidence,
    after,
    crossFitted: calibration(crossFitted(outcomes, FOLDS)),
  };
}

/** The outcomes of one category in one picture, without finds in crowds. */
function outcomesOf(query: Query): PictureOutcome[] {
  const { verdicts } = match(query, THERE_IOU, AREAS.all);
  return query.finds.flatMap(({ score }, at) =>
    verdicts[at] === "ignored" ? [] : [{ picture: query.picture, score, right: verdicts[at] === "right" }],
  );
}

/** More digits would claim more than the pictures show. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

async function writeConfidence(path: string, confidence: Confidence): Promise<void> {
  const manifest = Written.parse(JSON.parse(await readFile(path, "utf8")));
  const written = { ...manifest, detection: { ...manifest.detection, confidence } };
  await replaceFile(path, `${JSON.stringify(written, null, 2)}\n`);
}
