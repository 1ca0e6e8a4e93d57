/** Loads one model folder and answers its parent's questions about pictures, one after another. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { rleOf } from "@segmentation/masks";
import { findRuns } from "../../inference-container/src/masks/runs/find-runs.ts";
import { ModelFolderError } from "../../inference-container/src/models/errors.ts";
import { readManifest } from "../../inference-container/src/models/folder.ts";
import { loadModel } from "../../inference-container/src/models/load.ts";
import { Manifest } from "../../inference-container/src/models/manifest.ts";
import type { LogitGrid, Model } from "../../inference-container/src/models/model.ts";
import { decodePicture } from "../../inference-container/src/pictures/decode.ts";
import { providerOf, serverToken } from "../../scripts/models/load-options.ts";
import { messageOf } from "../../scripts/shared/error-parts.ts";
import { type AnswerMessage, type ModelMessage, Question, type RleMessage } from "./subject.ts";

const PIXEL_LIMIT = 100_000_000;
/** The default of jobs: a pixel is set if it is more likely inside than outside. */
const MASK_THRESHOLD = 0.5;

const [folder = "", given] = process.argv.slice(2);
const provider = providerOf(given);

// The parent is gone, and nobody else wants the answers.
process.once("disconnect", () => process.exit());
const send = (message: ModelMessage): void => void process.send?.(message);

async function open(): Promise<Model> {
  const model = await loadModel(folder, { provider, digests: true, ...serverToken() });
  const { family } = await readManifest(folder, Manifest);
  send({ kind: "ready", name: `${model.id} ${model.version} (${family}) on ${model.provider}` });
  return model;
}

async function answer(model: Model, question: Question): Promise<AnswerMessage> {
  const { path, prompts, threshold, regions } = question;
  const hash = createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
  const picture = await decodePicture(path, hash, PIXEL_LIMIT);
  const { width, height } = picture;
  if (width !== question.width || height !== question.height)
    throw new Error(
      `It has ${width} × ${height} pixels, but its labels are for ${question.width} × ${question.height}.`,
    );
  const rle = (grid: LogitGrid): { mask: RleMessage; area: number } => {
    const runs = findRuns(grid, width, height, MASK_THRESHOLD);
    return { mask: { size: [height, width], counts: rleOf(runs).counts }, area: runs.area };
  };
  const started = performance.now();
  const { instances, unserved } = await model.segment(picture, { prompts, threshold, withFaint: false });
  const masks = instances.map(({ mask }) => rle(mask));
  const ms = performance.now() - started;
  const drawn =
    model.drawsRegions === true
      ? await model.segment(picture, { prompts: [], regions, threshold, withFaint: false })
      : null;
  return {
    kind: "answer",
    // The service leaves out masks without pixels, too.
    found: instances.flatMap(({ promptIndex: prompt, score }, i) => {
      const { mask, area } = masks[i] ?? {};
      return mask === undefined || area === 0 ? [] : [{ prompt, score, mask }];
    }),
    drawn: drawn?.regions?.map((region) => rle(region.mask).mask) ?? null,
    notices: unserved.map(({ message }) => message),
    ms,
  };
}

const model = await open().catch((error: unknown) =>
  send({
    kind: "failed",
    error:
      error instanceof ModelFolderError
        ? error.message
        : `The model in ${folder} cannot be loaded: ${messageOf(error)}`,
  }),
);
process.on("message", (message) => {
  const question = Question.parse(message);
  if (model === undefined) return;
  answer(model, question).then(send, (error: unknown) =>
    send({ kind: "failed", error: `${question.path} cannot be evaluated. ${messageOf(error)}` }),
  );
});
