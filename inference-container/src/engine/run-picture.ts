import { openFormats } from "../formats/open-formats.ts";
import { Usage } from "../device/usage.ts";
import { checkSegmentation } from "../models/check-segmentation.ts";
import { placed, type Region, type Size } from "@segmentation/masks";
import type { Model } from "../models/model.ts";
import { decodePicture } from "../pictures/decode.ts";
import { readPriorMask } from "../pictures/prior-mask.ts";
import { taskFailure } from "../failures.ts";
import type { ImageResult, ImageTask, TaskHooks } from "../messages.ts";
import { unservedNotice } from "./notices.ts";
import { examplesOf } from "./examples.ts";
import { stepsOf } from "../steps.ts";
import { writeMasks } from "./write-masks.ts";
import { joinProblems, type TaskRegion } from "@segmentation/protocol";
import type { Semaphore } from "../semaphore.ts";

/**
 * Decodes, infers, rasterizes and encodes one picture. Only the graphs take turns, so that the next picture is decoded
 * and the previous one encoded meanwhile.
 *
 * @param decoded the bytes that decoded pictures may take together: the picture waits for its share and keeps it to the
 * end
 * @throws TaskFailure if the picture, its prompts or its regions can't be served; TaskDropped
 */
export async function runPicture(
  model: Model,
  task: ImageTask,
  hooks: TaskHooks,
  decoded: Semaphore,
): Promise<ImageResult> {
  const { prompts } = task;
  const { asked, exampled } = examplesOf(task);
  refuseUnable(model, asked, exampled.flat(), task.priors);
  const withEmbedding = task.formats?.wanted.includes("embedding") === true;
  if (withEmbedding && model.decoder === undefined) throw taskFailure("embedding_unsupported");
  const usage = new Usage(undefined, (stage) => hooks.at(stage), hooks.signal);
  using shares = new DisposableStack();
  const started = performance.now();
  const picture = await decodePicture(
    task.inputPath,
    task.contentHash,
    task.limits.inputPixels,
    async (bytes) => void shares.use(await usage.waiting(() => decoded.acquire(hooks.signal, bytes))),
  );
  const waited = usage.waitedMs;
  const decode = performance.now() - started - waited;
  const regions = await withPriors(placeRegions(asked, picture), asked, task, picture, model);
  const examples = exampled.map((each) => placeRegions(each, picture));
  hooks.signal.throwIfAborted();
  const from = performance.now();
  const request = { ...task, regions, withFaint: false, withEmbedding, task, usage };
  const found = await model.segment(picture, {
    ...request,
    ...(examples.length > 0 && { examples }),
  });
  const infer = performance.now() - from - (usage.waitedMs - waited);
  hooks.signal.throwIfAborted();
  checkSegmentation(found, picture, {
    prompts: prompts.length,
    regions: regions.length,
    examples: examples.length,
  });
  const unserved = unservedNotice(found, prompts.length, task.regions !== undefined);
  const inferred = performance.now();
  await using formats = await openFormats(task, picture, hooks, found.embedding);
  const written = await writeMasks(task, picture, found, formats, stepsOf(hooks));
  const encode = performance.now() - inferred - written.post;
  return {
    type: "image",
    width: picture.width,
    height: picture.height,
    files: written.files,
    masks: written.masks,
    notice: joinProblems([unserved, written.notice]),
    ms: { decode, infer, post: written.post, encode },
    modelMs: found.modelMs,
    featuresCached: found.featuresCached,
  };
}

/** @throws TaskFailure if the model cannot draw the regions, or find objects like the examples */
function refuseUnable(
  { drawsRegions = false, findsAlike = false, followsRegions = false }: Model,
  asked: readonly TaskRegion[],
  examples: readonly TaskRegion[],
  priors: ImageTask["priors"],
): void {
  if (asked.length > 0 && !drawsRegions) throw taskFailure("regions_unsupported", { what: "draw regions" });
  if (priors !== undefined && !followsRegions)
    throw taskFailure("regions_unsupported", { what: "correct the mask of a former result" });
  if (examples.length > 0 && !findsAlike)
    throw taskFailure("examples_unsupported", { what: "find all objects that look like an example" });
  if (!drawsRegions && examples.some((region) => "points" in region))
    throw taskFailure("examples_unsupported", { what: "take points as an example, only boxes" });
}

/** The regions, with the masks that they correct. @throws TaskFailure named prior_mask_unusable */
async function withPriors(
  regions: readonly Region[],
  asked: readonly TaskRegion[],
  { priors = [] }: ImageTask,
  picture: Size,
  { priorSide }: Model,
): Promise<Region[]> {
  const all = [...regions];
  for (const { regionIndex, path } of priors) {
    const at = asked.findIndex(({ index }) => index === regionIndex);
    const region = all[at];
    if (region !== undefined)
      all[at] = { ...region, prior: await readPriorMask(path, regionIndex, picture, priorSide) };
  }
  return all;
}

/** A task's regions, in their order, as the model takes them. @throws TaskFailure named region_outside_image */
export const placeRegions = (regions: readonly TaskRegion[], picture: Size): Region[] =>
  regions.map((region) => {
    const inside = placed(region, picture);
    if (inside !== undefined) return inside;
    const { width, height } = picture;
    throw taskFailure("region_outside_image", { index: region.index, width, height });
  });
