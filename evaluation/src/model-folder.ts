import type { Provider } from "../../inference-container/src/device/messages.ts";
import { fileDigest } from "../../inference-container/src/models/folder.ts";
import { loadModel } from "../../inference-container/src/models/load.ts";
import type { Model } from "../../inference-container/src/models/model.ts";
import { decodePicture } from "../../inference-container/src/pictures/decode.ts";
import { serverToken } from "../../scripts/models/load-options.ts";
import { Failure } from "../../scripts/shared/command-line.ts";
import { messageOf } from "../../scripts/shared/error-parts.ts";
import { maskOfGrid } from "./measures/mask.ts";
import type { Answer, Question, Subject } from "./subject.ts";

const PIXEL_LIMIT = 100_000_000;
/** The default of jobs: a pixel is set if it is more likely inside than outside. */
const MASK_THRESHOLD = 0.5;

/** Loads a model folder and calls `use` with it. @throws ModelFolderError if the folder cannot be used */
export async function withModelFolder<T>(
  folder: string,
  provider: Provider,
  use: (subject: Subject) => Promise<T>,
): Promise<T> {
  console.error(`Loading ${folder}…`);
  const model = await loadModel(folder, { provider, ...serverToken() });
  try {
    return await use({
      name: `${model.id} ${model.version} (${model.family}) on ${model.provider}`,
      timed: "from the decoded picture to the masks of all prompts",
      ask: (question) =>
        answer(model, question).catch((error: unknown) => {
          throw new Failure(`${question.path} cannot be evaluated. ${messageOf(error)}`);
        }),
    });
  } finally {
    await model.close();
  }
}

async function answer(model: Model, question: Question): Promise<Answer> {
  const { path, prompts, threshold, regions } = question;
  const picture = await decodePicture(path, await fileDigest(path), PIXEL_LIMIT);
  const { width, height } = picture;
  if (width !== question.width || height !== question.height)
    throw new Error(
      `It has ${width} × ${height} pixels, but its labels are for ${question.width} × ${question.height}.`,
    );
  const started = performance.now();
  const { instances, unserved } = await model.segment(picture, { prompts, threshold, withFaint: false });
  const found = instances.map(({ promptIndex: prompt, score, mask }) => {
    return { prompt, score, mask: maskOfGrid(mask, picture, MASK_THRESHOLD) };
  });
  const ms = performance.now() - started;
  const drawn =
    model.drawsRegions === true
      ? await model.segment(picture, { prompts: [], regions, threshold, withFaint: false })
      : null;
  return {
    // The service leaves out masks without pixels, too.
    found: found.filter(({ mask }) => mask.area > 0),
    drawn: drawn?.regions?.map(({ mask }) => maskOfGrid(mask, picture, MASK_THRESHOLD)) ?? null,
    notices: unserved.map(({ message }) => message),
    ms,
  };
}
