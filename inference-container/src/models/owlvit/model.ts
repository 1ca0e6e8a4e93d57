/** OWL-ViT or OWLv2 with SAM 2: finds the boxes of all prompts in the picture, then draws the boxes' masks. */
import type { Usage } from "../../device/usage.ts";
import type { Picture, SegmentRequest } from "../model.ts";
import { type FoundBoxes, Sam2Model, type Sam2Parts } from "../sam2/model.ts";
import { wantedBoxes } from "../sam2/queries.ts";
import type { Detector } from "./detector.ts";
import type { OwlvitManifest } from "./manifest.ts";

interface OwlvitParts extends Sam2Parts {
  readonly manifest: OwlvitManifest;
  readonly detector: Detector;
}

export class OwlvitModel extends Sam2Model<OwlvitParts> {
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
    return { boxes: wantedBoxes(detections, request, manifest.detection), unserved: [], cached };
  }

  override forget(): void {
    super.forget();
    this.parts.detector.forget();
  }
}
