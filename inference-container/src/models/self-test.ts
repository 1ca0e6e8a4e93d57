/** The golden self-test: before a model serves, it must find in the folder's own picture what its manifest says. */
import { join } from "node:path";
import sharp from "sharp";
import { boxIou } from "./box.ts";
import { ModelFolderError } from "./folder-error.ts";
import type { Golden } from "./manifest.ts";
import { gridArea } from "./mask-shape.ts";
import type { Model, Picture, Segmentation } from "./model.ts";

/**
 * Runs the golden picture through the model, which also warms up its graphs.
 * @throws ModelFolderError naming the first instance, score or box that differs
 */
export async function selfTest(model: Model, folder: string, golden: Golden): Promise<void> {
  const picture = await readPicture(join(folder, golden.picture));
  const { prompt, threshold } = golden;
  const found = await model.segment(picture, { prompts: [prompt], threshold, withFaint: false });
  compare(found, golden, `The model ${model.id} ${model.version}`);
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
    const area = gridArea(found.mask) / found.mask.logits.length;
    if (!(Math.abs(area - expected.area) <= tolerance.area))
      fail(`gave a mask over ${area.toFixed(3)} of the picture instead of ${expected.area}`);
  }
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
