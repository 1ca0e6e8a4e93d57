/** Loads a model folder: the manifest chooses the family's adapter. */
import { openBuiltin } from "./builtin/open.ts";
import type { FamilyModel } from "./family-model.ts";
import { ModelFolderError } from "./folder-error.ts";
import { checkFiles, readManifest } from "./folder.ts";
import { openGroundingDino } from "./grounding-dino/open.ts";
import { DEFAULT_LOAD_OPTIONS, type LoadOptions } from "./load-options.ts";
import { Manifest } from "./manifest.ts";
import type { Model } from "./model.ts";
import { openSam3 } from "./sam3/open.ts";
import { selfTest } from "./self-test.ts";

type Open = (folder: string, options: LoadOptions) => Promise<FamilyModel>;

/** The family of the embedded model, whose folder the service creates itself. */
export const EMBEDDED_FAMILY = "builtin";

/** The families that can be loaded, by their name in a manifest. */
export const FAMILIES: ReadonlyMap<string, Open> = new Map([
  [EMBEDDED_FAMILY, openBuiltin],
  ["grounding-dino-sam2", openGroundingDino],
  ["sam3", openSam3],
]);

/** The first of several has the device to itself; those after it wait meanwhile, and are joined. */
const SIDE_BY_SIDE = 5;

/**
 * Opens a model folder, warms the model up and runs its self-test.
 * @throws ModelFolderError saying what is missing, damaged or different from the manifest
 */
export async function loadModel(folder: string, options: Partial<LoadOptions> = {}): Promise<Model> {
  const settings = { ...DEFAULT_LOAD_OPTIONS, ...options };
  const manifest = await readManifest(folder, Manifest);
  await checkFiles(folder, manifest.files, settings);
  const open = FAMILIES.get(manifest.family);
  if (open === undefined)
    throw new ModelFolderError(
      `${folder} is of the family "${manifest.family}"; the families here are: ${[...FAMILIES.keys()].join(", ")}.`,
    );
  const model = await open(folder, settings);
  try {
    await selfTest(model, folder, manifest.golden, 1);
    if (model.joinsRuns) await selfTest(model, folder, manifest.golden, SIDE_BY_SIDE);
  } catch (error) {
    await model.close();
    throw error;
  }
  model.forget();
  return model;
}
