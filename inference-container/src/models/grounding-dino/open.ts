/** Opens a folder of the family `grounding-dino-sam2`: its graphs and tokenizer become a model. */
import type { FamilyModel } from "../family-model.ts";
import { readManifest } from "../folder.ts";
import type { Roles } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import { openWithSam2 } from "../sam2/open.ts";
import { Detector } from "./detector.ts";
import { GroundingDinoManifest } from "./manifest.ts";
import { GroundingDinoModel } from "./model.ts";
import { PhraseTokenizer } from "./tokenizer.ts";

const DETECTOR: Roles = {
  inputs: ["image", "content", "ids", "mask", "types"],
  outputs: ["scores", "boxes"],
};

/** @throws ModelFolderError if a graph or another file is not what the manifest says */
export async function openGroundingDino(folder: string, options: LoadOptions): Promise<FamilyModel> {
  const manifest = await readManifest(folder, GroundingDinoManifest);
  const tokenizer = await PhraseTokenizer.load(folder, manifest.text);
  return openWithSam2(folder, manifest, options, async ({ load, ...parts }) => {
    const detector = new Detector(await load(manifest.graphs.detector, DETECTOR), tokenizer, manifest);
    return new GroundingDinoModel({ manifest, detector, ...parts }, options);
  });
}
