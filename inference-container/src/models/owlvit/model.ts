/** OWL-ViT or OWLv2 with SAM 2: finds the boxes of all prompts in the picture, then draws the boxes' masks. */
import type { Usage } from "../../device/usage.ts";
import { ClipTokenizer } from "../text/clip-tokenizer.ts";
import type { FamilyModel } from "../family-model.ts";
import { readManifest } from "../folder.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { Picture, SegmentRequest } from "../model.ts";
import { severalThings } from "../text/prompt-list.ts";
import { type FoundBoxes, Sam2Model, type Sam2Parts } from "../sam2/model.ts";
import { openWithSam2 } from "../sam2/open.ts";
import { wantedBoxes } from "../sam2/queries.ts";
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
  return openWithSam2(folder, manifest, options, async ({ load, ...parts }) => {
    const graphs = {
      head: await load(manifest.graphs.head, ROLES.head),
      text: await load(manifest.graphs.text, ROLES.text),
      image: await load(manifest.graphs.image, ROLES.image),
    };
    const detector = new Detector(graphs, tokenizer, manifest, options.textCacheBytes);
    return new OwlvitModel({ manifest, detector, ...parts }, options);
  });
}

interface OwlvitParts extends Sam2Parts {
  readonly manifest: OwlvitManifest;
  readonly detector: Detector;
}

class OwlvitModel extends Sam2Model<OwlvitParts> {
  protected override async find(
    picture: Picture,
    request: SegmentRequest,
    usage: Usage,
  ): Promise<FoundBoxes> {
    const { detector, manifest } = this.parts;
    // SAM 2's features of the picture have the hash alone as their key.
    const key = picture.contentHash === null ? null : `${picture.contentHash} boxes`;
    const { value, cached } = await this.features.get(key, usage, () => detector.look(picture, usage));
    using seen = value;
    const detections = await detector.detect(picture, seen, request.prompts, usage);
    const boxes = wantedBoxes(detections, request, manifest.detection);
    return { boxes, unserved: severalThings(request.prompts), cached };
  }

  override forget(): void {
    super.forget();
    this.parts.detector.forget();
  }
}
