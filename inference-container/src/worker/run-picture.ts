import { openFormats } from "../formats/open-formats.ts";
import { Usage } from "../device/usage.ts";
import { checkSegmentation } from "../models/check-segmentation.ts";
import type { Model } from "../models/model.ts";
import { decodePicture } from "../pictures/decode.ts";
import { taskFailure } from "../failures.ts";
import type { TaskHooks } from "../hooks.ts";
import type { ImageTask, ImageResult } from "../messages.ts";
import { placeRegions } from "./place-regions.ts";
import { joinNotices, unservedNotice } from "./notices.ts";
import { writeMasks } from "./write-masks.ts";

/**
 * Decodes, infers, rasterises and encodes one picture. Only the graphs take turns, so that the next picture is decoded and
 * the previous one encoded meanwhile.
 *
 * @throws TaskFailure if the picture, its prompts or its regions can't be served; TaskDropped
 */
export async function runPicture(model: Model, task: ImageTask, hooks: TaskHooks): Promise<ImageResult> {
  const { prompts, regions: asked = [] } = task;
  if (asked.length > 0 && model.drawsRegions !== true) throw taskFailure("regions_unsupported");
  const started = performance.now();
  const picture = await decodePicture(task.inputPath, task.contentHash, task.limits.inputPixels);
  const decode = performance.now() - started;
  const regions = placeRegions(asked, picture);
  hooks.signal.throwIfAborted();
  const usage = new Usage(undefined, (stage) => hooks.at(stage), hooks.signal);
  const from = performance.now();
  const found = await model.segment(picture, { ...task, regions, withFaint: false, task, usage });
  const infer = performance.now() - from - usage.waitedMs;
  hooks.signal.throwIfAborted();
  checkSegmentation(found, picture, { prompts: prompts.length, regions: regions.length });
  const unserved = unservedNotice(found, prompts.length);
  const inferred = performance.now();
  await using formats = await openFormats(task, picture, hooks);
  const written = await writeMasks(task, picture, found, formats);
  const encode = performance.now() - inferred - written.post;
  return {
    type: "image",
    width: picture.width,
    height: picture.height,
    files: written.files,
    masks: written.masks,
    notice: joinNotices(unserved, written.notice),
    ms: { decode, infer, post: written.post, encode },
    modelMs: found.modelMs,
    featuresCached: found.featuresCached,
  };
}
