/** Loads a model folder: the manifest chooses the family's adapter. */
import { ModelFolderError } from "./errors.ts";
import { FAMILIES, SERVER_FAMILY } from "./families.ts";
import { checkFiles, readManifest } from "./folder.ts";
import { DEFAULT_LOAD_OPTIONS, type LoadedModel, type LoadOptions } from "./loaded-model.ts";
import { type Golden, Manifest } from "./manifest.ts";
import type { Model, Picture, Segmentation } from "./model.ts";
import type { Usage } from "../device/usage.ts";
import { TaskFailure } from "../failures.ts";
import { join } from "node:path";
import sharp from "sharp";
import { boxIou } from "./box.ts";
import { gridArea } from "@segmentation/masks";

/**
 * Opens a model folder, warms the model up and runs its self-test.
 * @throws ModelFolderError saying what is missing, damaged or different from the manifest
 */
export async function openModel(folder: string, options: Partial<LoadOptions> = {}): Promise<LoadedModel> {
  const settings = { ...DEFAULT_LOAD_OPTIONS, ...options };
  const manifest = await readManifest(folder, Manifest);
  await checkFiles(folder, manifest.files, { digests: true });
  const open = FAMILIES.get(manifest.family);
  if (open === undefined)
    throw new ModelFolderError(
      `${folder} is of the family "${manifest.family}"; the families here are: ${[...FAMILIES.keys()].join(", ")}.`,
    );
  const model = await open(folder, settings);
  const picture = (): Promise<Picture> => readPicture(join(folder, manifest.golden.picture));
  const test = async (usage?: Usage): Promise<void> =>
    selfTest(model, await picture(), manifest.golden, usage);
  try {
    await test();
    // The CPU prepares for no shape.
    if (model.provider !== "cpu") await model.warmUp?.(await picture());
  } catch (error) {
    await model.close();
    // The message for a task's owner says too little here.
    const cause = error instanceof TaskFailure ? error.cause : undefined;
    throw typeof cause === "string" ? new ModelFolderError(cause) : error;
  }
  model.forget();
  // The service can't restart a server's devices.
  return manifest.family === SERVER_FAMILY ? model : Object.assign(model, { selfTest: test });
}

/** Like `openModel`, for the engine. */
export const loadModel: (folder: string, options?: Partial<LoadOptions>) => Promise<Model> = openModel;

/**
 * Runs the golden picture through the model, which also warms up its graphs.
 * @throws ModelFolderError naming the first instance, score or box that differs
 */
async function selfTest(model: Model, picture: Picture, golden: Golden, usage?: Usage): Promise<void> {
  const { prompt, threshold } = golden;
  const request = { prompts: [prompt], threshold, withFaint: false, ...(usage !== undefined && { usage }) };
  const found = await model.segment(picture, request);
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

/** Without a content hash: the model must remember nothing of it. */
async function readPicture(path: string): Promise<Picture> {
  const { data, info } = await sharp(path)
    .toColourspace("srgb")
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: data, contentHash: null };
}
