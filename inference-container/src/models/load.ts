/** Loads a model folder: the manifest chooses the family's adapter. */
import { openBuiltin } from "./builtin/open.ts";
import { ModelFolderError } from "./folder-error.ts";
import { checkFiles, readManifest } from "./folder.ts";
import { openGroundingDino } from "./grounding-dino/open.ts";
import { openKserve } from "./kserve/open.ts";
import { DEFAULT_LOAD_OPTIONS, type LoadOptions } from "./load-options.ts";
import type { LoadedModel } from "./loaded-model.ts";
import { Manifest } from "./manifest.ts";
import type { Model } from "./model.ts";
import { TaskFailure } from "../failures.ts";
import { openSam3 } from "./sam3/open.ts";
import { selfTest } from "./self-test.ts";

type Open = (folder: string, options: LoadOptions) => Promise<LoadedModel>;

/** The family of the embedded model, whose folder the service creates itself. */
export const EMBEDDED_FAMILY = "builtin";

/** The family whose models are on a server of the Open Inference Protocol: they have no graphs here. */
export const SERVER_FAMILY = "kserve";

/** The families that can be loaded, by their name in a manifest. */
export const FAMILIES: ReadonlyMap<string, Open> = new Map<string, Open>([
  [EMBEDDED_FAMILY, openBuiltin],
  ["grounding-dino-sam2", openGroundingDino],
  [SERVER_FAMILY, openKserve],
  ["sam3", openSam3],
]);

/**
 * Opens a model folder, warms the model up and runs its self-test.
 * @throws ModelFolderError saying what is missing, damaged or different from the manifest
 */
export async function openModel(folder: string, options: Partial<LoadOptions> = {}): Promise<LoadedModel> {
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
    await selfTest(model, folder, manifest.golden);
  } catch (error) {
    await model.close();
    // What a task's owner is told says too little here.
    const cause = error instanceof TaskFailure ? error.cause : undefined;
    throw typeof cause === "string" ? new ModelFolderError(cause) : error;
  }
  model.forget();
  return model;
}

/** Like `openModel`: what the engine loads its model with. */
export const loadModel: (folder: string, options?: Partial<LoadOptions>) => Promise<Model> = openModel;
