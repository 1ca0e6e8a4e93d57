/** The embedded model: finds a prompt's labels, their boxes, and the boxes' masks. */
import type { Usage } from "../../device/usage.ts";
import { suppress } from "../box.ts";
import type { LoadOptions } from "../loaded-model.ts";
import type { Picture, SegmentRequest } from "../model.ts";
import { detectionMemory } from "../memory/remembered.ts";
import { type FoundBoxes, Sam2Model, type Sam2Parts } from "../sam2/model.ts";
import type { Detection } from "./views.ts";
import type { Detector } from "./detector.ts";
import type { BuiltinManifest } from "./manifest.ts";
import type { Resolution, Vocabulary } from "./vocabulary.ts";

export interface BuiltinParts extends Sam2Parts {
  readonly manifest: BuiltinManifest;
  readonly detector: Detector;
  readonly vocabulary: Vocabulary;
}

export class BuiltinModel extends Sam2Model<BuiltinParts> {
  readonly labels: readonly string[];
  readonly #detections = detectionMemory<Detection>();

  constructor(parts: BuiltinParts, options: LoadOptions) {
    super(parts, options);
    this.labels = parts.manifest.vocabulary.labels.map(({ name }) => name);
  }

  protected override async find(
    picture: Picture,
    request: SegmentRequest,
    usage: Usage,
  ): Promise<FoundBoxes> {
    const { detector, vocabulary } = this.parts;
    const resolutions: Resolution[] = [];
    for (const prompt of request.prompts) resolutions.push(await vocabulary.resolve(prompt, usage));
    const unserved = resolutions.flatMap(({ labels, message }, promptIndex) =>
      message === undefined ? [] : [{ promptIndex, message, isPart: labels.length > 0 }],
    );
    if (resolutions.every(({ labels }) => labels.length === 0)) return { boxes: [], unserved, cached: false };

    const { value, cached } = await this.#detections.get(picture.contentHash, usage, () =>
      detector.detect(picture, usage),
    );
    const floor = this.#floor(request);
    const boxes = resolutions.flatMap(({ labels }, promptIndex) =>
      this.#select(value, labels, request).map(({ score, box }) => {
        return { promptIndex, score, box, faint: score < floor };
      }),
    );
    return { boxes, unserved, cached };
  }

  override forget(): void {
    super.forget();
    this.#detections.clear();
  }

  /** A prompt's detections, best first. An object detected under two of the prompt's labels counts once. */
  #select(detections: readonly Detection[], labels: readonly number[], request: SegmentRequest): Detection[] {
    const { faintFloor, nmsIou } = this.parts.manifest.detection;
    const least = Math.max(request.threshold, request.withFaint ? faintFloor : this.#floor(request));
    const matching = detections.filter(({ label, score }) => labels.includes(label) && score >= least);
    return suppress(matching, nmsIou);
  }

  /** The least confidence of a result; in a clip, of a new track. */
  #floor({ inClip = false }: SegmentRequest): number {
    const { floor, clipFloor } = this.parts.manifest.detection;
    return inClip ? clipFloor : floor;
  }
}
