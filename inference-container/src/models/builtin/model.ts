/** The embedded model: finds a prompt's labels, their boxes, and the boxes' masks. */
import type { Usage } from "../../device/usage.ts";
import { suppress } from "../box.ts";
import { type Labelled, LabelModel, type LabelParts } from "../labels/model.ts";
import type { Picture } from "../model.ts";
import type { Detector } from "./detector.ts";
import type { BuiltinManifest } from "./manifest.ts";

export interface BuiltinParts extends LabelParts {
  readonly manifest: BuiltinManifest;
  readonly detector: Detector;
}

export class BuiltinModel extends LabelModel<BuiltinParts> {
  protected override detect(picture: Picture, usage: Usage): Promise<Labelled[]> {
    return this.parts.detector.detect(picture, usage);
  }

  protected override distinct(detections: readonly Labelled[]): Labelled[] {
    return suppress(detections, this.parts.manifest.detection.nmsIou);
  }
}
