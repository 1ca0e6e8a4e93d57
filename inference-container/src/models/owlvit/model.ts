/** OWL-ViT or OWLv2 with SAM 2: finds the boxes of all prompts in the picture, then draws the boxes' masks. */
import type { Corners } from "@segmentation/masks";
import type { Held } from "../../device/held.ts";
import type { Usage } from "../../device/usage.ts";
import { ClipTokenizer } from "../text/clip-tokenizer.ts";
import type { FamilyModel } from "../family-model.ts";
import { readManifest } from "../folder.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { Picture, SegmentRequest } from "../model.ts";
import { severalThings } from "../text/prompt-list.ts";
import { type FoundBoxes, Sam2Model, type Sam2Parts } from "../sam2/model.ts";
import { openWithSam2 } from "../sam2/open.ts";
import { type Detection, wantedBoxes } from "../sam2/queries.ts";
import { Detector } from "./detector.ts";
import { OwlvitManifest } from "./manifest.ts";

/** Inputs and outputs of each graph that the adapter uses. */
const ROLES = {
  image: { inputs: ["image"], outputs: ["features", "boxes"] },
  text: { inputs: ["ids", "mask"], outputs: ["words"] },
  head: { inputs: ["features", "words", "ids"], outputs: ["scores"] },
};

/**
 * Opens a folder of the family `owlvit-sam2`: its graphs and tokenizer become a model.
 * @throws ModelFolderError if a graph or another file is not what the manifest says
 */
export async function openOwlvit(folder: string, options: LoadOptions): Promise<FamilyModel> {
  const manifest = await readManifest(folder, OwlvitManifest);
  const tokenizer = await ClipTokenizer.load(folder, manifest.text);
  return openWithSam2(folder, manifest, options, async (load) => {
    const graphs = {
      head: await load(manifest.graphs.head, ROLES.head),
      text: await load(manifest.graphs.text, ROLES.text),
      image: await load(manifest.graphs.image, ROLES.image),
    };
    const detector = new Detector(graphs, tokenizer, manifest, options.textCacheBytes);
    return (parts) => new OwlvitModel({ manifest, detector, ...parts }, options);
  });
}

interface OwlvitParts extends Sam2Parts {
  readonly manifest: OwlvitManifest;
  readonly detector: Detector;
}

class OwlvitModel extends Sam2Model<OwlvitParts> {
  readonly findsAlike = this.parts.manifest.detection.examples !== undefined;

  protected override async find(
    picture: Picture,
    request: SegmentRequest,
    usage: Usage,
  ): Promise<FoundBoxes> {
    const { detector, manifest } = this.parts;
    const { value, cached } = await this.#look(picture, usage);
    using seen = value;
    const detections = await detector.detect(picture, seen, request.prompts, usage);
    const boxes = wantedBoxes(detections, request, manifest.detection);
    return { boxes, unserved: severalThings(request.prompts), cached };
  }

  /** The picture's features and boxes. SAM 2's features of the picture have the hash alone as their key. */
  #look(picture: Picture, usage: Usage): Promise<{ value: Held; cached: boolean }> {
    const key = picture.contentHash === null ? null : `${picture.contentHash} boxes`;
    return this.features.get(key, usage, () => this.parts.detector.look(picture, usage));
  }

  protected override async findAlike(
    picture: Picture,
    examples: readonly (readonly Corners[])[],
    { threshold }: SegmentRequest,
    usage: Usage,
  ): Promise<Detection[][]> {
    using seen = (await this.#look(picture, usage)).value;
    const { detector, manifest } = this.parts;
    const found = await detector.detectAlike(picture, seen, examples, usage);
    const least = Math.max(threshold, manifest.detection.floor);
    return found.map((detections) => detections.filter(({ score }) => score >= least));
  }

  override forget(): void {
    super.forget();
    this.parts.detector.forget();
  }
}
