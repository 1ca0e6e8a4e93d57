/** Grounding DINO with SAM 2: finds a prompt's boxes in the picture, then draws the boxes' masks. */
import type { Usage } from "../../device/usage.ts";
import type { FamilyModel } from "../family-model.ts";
import { readManifest } from "../folder.ts";
import type { Roles } from "../graph.ts";
import type { ImageTensor } from "../image-tensor.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { Picture, SegmentRequest } from "../model.ts";
import { severalThings } from "../text/prompt-list.ts";
import { detectionMemory } from "../memory/remembered.ts";
import { type FoundBoxes, Sam2Model, type Sam2Parts } from "../sam2/model.ts";
import { openWithSam2 } from "../sam2/open.ts";
import { type Detection, wantedBoxes } from "../sam2/queries.ts";
import { Detector } from "./detector.ts";
import { GroundingDinoManifest } from "./manifest.ts";
import { PhraseTokenizer } from "./tokenizer.ts";

const DETECTOR: Roles = {
  inputs: ["image", "content", "ids", "mask", "types"],
  outputs: ["scores", "boxes"],
};

/**
 * Opens a folder of the family `grounding-dino-sam2`: its graphs and tokenizer become a model.
 * @throws ModelFolderError if a graph or another file is not what the manifest says
 */
export async function openGroundingDino(folder: string, options: LoadOptions): Promise<FamilyModel> {
  const manifest = await readManifest(folder, GroundingDinoManifest);
  const tokenizer = await PhraseTokenizer.load(folder, manifest.text);
  return openWithSam2(folder, manifest, options, async (load) => {
    const detector = new Detector(await load(manifest.graphs.detector, DETECTOR), tokenizer, manifest);
    return (parts) => new GroundingDinoModel({ manifest, detector, ...parts }, options);
  });
}

interface GroundingDinoParts extends Sam2Parts {
  readonly manifest: GroundingDinoManifest;
  readonly detector: Detector;
}

class GroundingDinoModel extends Sam2Model<GroundingDinoParts> {
  readonly #detections = detectionMemory<Detection>();

  protected override async find(
    picture: Picture,
    request: SegmentRequest,
    usage: Usage,
  ): Promise<FoundBoxes> {
    const { detections, cached } = await this.#detect(picture, request.prompts, usage);
    const boxes = wantedBoxes(detections, request, this.parts.manifest.detection);
    return { boxes, unserved: severalThings(request.prompts), cached };
  }

  override forget(): void {
    super.forget();
    this.#detections.clear();
  }

  /** Every prompt's detections; the detector mixes picture and words early, so it runs in full for each prompt. */
  async #detect(
    picture: Picture,
    prompts: readonly string[],
    usage: Usage,
  ): Promise<{ detections: readonly (readonly Detection[])[]; cached: boolean }> {
    const { detector } = this.parts;
    let prepared: ImageTensor | undefined;
    let allCached = true;
    const detections: (readonly Detection[])[] = [];
    for (const prompt of prompts) {
      const key = picture.contentHash === null ? null : `${picture.contentHash} ${prompt}`;
      const { value, cached } = await this.#detections.get(key, usage, async () => {
        prepared ??= await detector.prepare(picture);
        return detector.detect(picture, prepared, prompt, usage);
      });
      allCached &&= cached;
      detections.push(value);
    }
    return { detections, cached: allCached };
  }
}
