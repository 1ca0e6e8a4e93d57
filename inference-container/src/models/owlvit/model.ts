/** OWL-ViT or OWLv2 with SAM 2: finds the boxes of all prompts in the picture, then draws the boxes' masks. */
import type { Usage } from "../../device/usage.ts";
import type { GraphSet } from "../graph.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { Picture, SegmentRequest } from "../model.ts";
import { type FoundBoxes, Sam2Model } from "../sam2/model.ts";
import { wantedBoxes } from "../sam2/queries.ts";
import type { Segmenter } from "../sam2/segmenter.ts";
import type { Detector } from "./detector.ts";
import type { OwlvitManifest } from "./manifest.ts";

export interface OwlvitParts {
  readonly manifest: OwlvitManifest;
  readonly graphs: GraphSet;
  readonly detector: Detector;
  readonly segmenter: Segmenter;
}

export class OwlvitModel extends Sam2Model {
  readonly #parts: OwlvitParts;

  constructor(parts: OwlvitParts, options: LoadOptions) {
    super(parts.manifest, parts.segmenter, parts.graphs, options);
    this.#parts = parts;
  }

  protected override async find(
    picture: Picture,
    request: SegmentRequest,
    usage: Usage,
  ): Promise<FoundBoxes> {
    const { detector, manifest } = this.#parts;
    // SAM 2's features of the picture have the hash alone as their key.
    const key = picture.contentHash === null ? null : `${picture.contentHash} boxes`;
    const { value, cached } = await this.features.get(key, usage, () => detector.look(picture, usage));
    using seen = value;
    const detections = await detector.detect(picture, seen, request.prompts, usage);
    return { boxes: wantedBoxes(detections, request, manifest.detection), unserved: [], cached };
  }

  override forget(): void {
    super.forget();
    this.#parts.detector.forget();
  }
}
