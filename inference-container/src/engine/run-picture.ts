import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { categoryIdOf, fill, type MaskOutput, OUTPUTS, type Problem } from "@segmentation/protocol";
import type { FormatWriter } from "../formats/format-writer.ts";
import { openFormats } from "../formats/open-formats.ts";
import { encodeMaskPng } from "../masks/mask-png.ts";
import { findRuns } from "../masks/runs/find-runs.ts";
import { Usage } from "../device/usage.ts";
import { checkSegmentation } from "../models/check-segmentation.ts";
import type { Instance, Model, Picture, Segmentation } from "../models/model.ts";
import { decodePicture } from "../pictures/decode.ts";
import { renderPreview } from "../preview/preview.ts";
import type { TaskHooks } from "./hooks.ts";
import type { ImageTask, ImageResult, WrittenFile } from "./messages.ts";
import { MaskQuota } from "./mask-quota.ts";
import { writeOutput } from "./output-file.ts";
import { joinNotices, unservedNotice } from "./unserved.ts";

/**
 * Decodes, infers, rasterises and encodes one picture. Only the graphs take turns, so that the next picture is decoded and
 * the previous one encoded meanwhile.
 *
 * @throws TaskFailure if the picture or its prompts can't be served; TaskDropped
 */
export async function runPicture(model: Model, task: ImageTask, hooks: TaskHooks): Promise<ImageResult> {
  const started = performance.now();
  const picture = await decodePicture(task.inputPath, task.contentHash, task.inputPixels);
  const decode = performance.now() - started;
  const { key, lane, prompts, threshold } = task;
  hooks.signal.throwIfAborted();
  const usage = new Usage(undefined, (stage) => hooks.at(stage), hooks.signal);
  const from = performance.now();
  const found = await model.segment(picture, {
    prompts,
    threshold,
    withFaint: false,
    task: { key, lane },
    usage,
  });
  const infer = performance.now() - from - usage.waitedMs;
  hooks.signal.throwIfAborted();
  checkSegmentation(found, picture, prompts.length);
  const unserved = unservedNotice(found, prompts.length);
  const inferred = performance.now();
  await using formats = await openFormats(task, picture, hooks);
  const written = await writeOutputs(task, picture, found, formats);
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

interface Written {
  files: WrittenFile[];
  masks: MaskOutput[];
  /** Says that masks were left out; null if none was. */
  notice: Problem | null;
  /** Milliseconds spent rasterising. */
  post: number;
}

/**
 * Writes one PNG per instance that has a pixel and is within the limit, numbered in order; the preview, if requested; and the
 * formats.
 */
async function writeOutputs(
  task: ImageTask,
  picture: Picture,
  found: Segmentation,
  formats: FormatWriter,
): Promise<Written> {
  await mkdir(join(task.folder, dirname(OUTPUTS.image.masks.name)), { recursive: true });
  const written: Written = { files: [], masks: [], notice: null, post: 0 };
  const quota = new MaskQuota(task.maxMasks, task.prompts.length);
  const shown: Instance[] = [];
  for (const instance of found.instances) {
    const started = performance.now();
    const runs = findRuns(instance.mask, picture.width, picture.height, task.maskThreshold);
    written.post += performance.now() - started;
    if (runs.area === 0 || !quota.takes(instance.promptIndex)) continue;
    const maskIndex = shown.push(instance) - 1;
    const file = fill(OUTPUTS.image.masks.name, { index: maskIndex });
    const { promptIndex, score: confidence } = instance;
    written.masks.push({ maskIndex, promptIndex, confidence, file });
    const png = encodeMaskPng(runs, task.prompts[promptIndex] ?? "");
    written.files.push(await writeOutput(task.folder, { ...OUTPUTS.image.masks, name: file }, png));
    await formats.add({ maskIndex, categoryId: categoryIdOf(promptIndex), score: confidence, runs });
  }
  written.notice = quota.notice;
  if (task.generatePreview) {
    const preview = await renderPreview(picture, shown, task.prompts, task.maskThreshold);
    written.files.push(await writeOutput(task.folder, OUTPUTS.image.preview, preview));
  }
  written.files.push(...(await formats.finish()));
  return written;
}
