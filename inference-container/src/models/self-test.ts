/** The golden self-test: before a model serves, it must find in the folder's own picture what its manifest says. */
import { join } from "node:path";
import sharp from "sharp";
import { boxIou } from "./box.ts";
import { ModelFolderError } from "./folder-error.ts";
import type { Golden } from "./manifest.ts";
import type { Instance, Model, Picture, Segmentation } from "./model.ts";

/**
 * Runs the golden picture through the model, which also warms up its graphs.
 * @param times how many pictures at once; every fourth is compared: a picture must not change the result of its
 * neighbour in a batch
 * @throws ModelFolderError naming the first instance, score or box that differs
 */
export async function selfTest(model: Model, folder: string, golden: Golden, times: number): Promise<void> {
  const picture = await readPicture(join(folder, golden.picture));
  const { prompt, threshold } = golden;
  const request = { prompts: [prompt], threshold, withFaint: false };
  // Most are other pictures: among identical ones, nobody would see what a neighbour does.
  const pictures = [picture, negative(picture), noise(picture), negative(picture)];
  const runs = Array.from({ length: times }, (_, i) => model.segment(pictures[i % 4] ?? picture, request));
  const name = `The model ${model.id} ${model.version}${times > 1 ? ", with several pictures at once," : ""}`;
  for (const [i, found] of (await Promise.all(runs)).entries()) if (i % 4 === 0) compare(found, golden, name);
}

function compare({ instances, unserved }: Segmentation, golden: Golden, name: string): void {
  const { prompt, tolerance } = golden;
  const fail = (reason: string): never => {
    throw new ModelFolderError(`${name} failed its self-test: "${prompt}" on ${golden.picture} ${reason}.`);
  };
  if (unserved.length > 0) fail("was not understood");
  if (instances.length !== golden.instances.length)
    fail(`gave ${instances.length} instances instead of ${golden.instances.length}`);
  for (const [index, expected] of golden.instances.entries()) {
    const found = instances[index];
    if (found === undefined) return fail(`gave no instance ${index}`);
    const iou = boxIou(found.box, expected.box);
    if (!(iou >= tolerance.boxIou))
      fail(`gave the box [${found.box.map(Math.round).join(", ")}] instead of [${expected.box.join(", ")}]`);
    if (!(Math.abs(found.score - expected.score) <= tolerance.score))
      fail(`gave the score ${found.score.toFixed(3)} instead of ${expected.score}`);
    const area = coveredShare(found);
    if (!(Math.abs(area - expected.area) <= tolerance.area))
      fail(`gave a mask over ${area.toFixed(3)} of the picture instead of ${expected.area}`);
  }
}

/** The share of the grid, and so of the picture, with a positive logit. */
function coveredShare({ mask }: Pick<Instance, "mask">): number {
  return mask.logits.reduce((count, logit) => count + (logit > 0 ? 1 : 0), 0) / mask.logits.length;
}

function negative(picture: Picture): Picture {
  return { ...picture, rgb: picture.rgb.map((byte) => 255 - byte) };
}

/** Bytes over the whole range, each unlike its neighbours (Knuth's multiplicative hash of the index). */
function noise(picture: Picture): Picture {
  return { ...picture, rgb: picture.rgb.map((_, i) => Math.imul(i, 2_654_435_761) >>> 24) };
}

/** Without a content hash: nothing of it is to be remembered. */
async function readPicture(path: string): Promise<Picture> {
  const { data, info } = await sharp(path)
    .toColourspace("srgb")
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: data, contentHash: null };
}
