/** Base of the families that know a list of labels: finds a prompt's labels, then the picture's objects under them. */
import type { Usage } from "../../device/usage.ts";
import type { LoadOptions } from "../loaded-model.ts";
import { detectionMemory } from "../memory/remembered.ts";
import type { Corners, LogitGrid } from "@segmentation/masks";
import type { Picture, SegmentRequest } from "../model.ts";
import { type FoundBoxes, Sam2Model, type Sam2Parts } from "../sam2/model.ts";
import type { LabelsManifest } from "./manifest.ts";
import type { Resolution, Vocabulary } from "./vocabulary.ts";

/** An object that a detector found. */
export interface Labelled {
  /** Index into the vocabulary's labels. */
  readonly label: number;
  /** 0 to 1: the graph's score within a view, later the confidence. */
  readonly score: number;
  /** In picture pixels, inside the picture. */
  readonly box: Corners;
  /** Absent if SAM 2 draws it. */
  readonly mask?: LogitGrid;
}

export interface LabelParts extends Sam2Parts {
  readonly manifest: Sam2Parts["manifest"] & Pick<LabelsManifest, "vocabulary" | "detection">;
  readonly vocabulary: Vocabulary;
}

export abstract class LabelModel<Parts extends LabelParts> extends Sam2Model<Parts> {
  readonly labels: readonly string[];
  readonly #detections = detectionMemory<Labelled>();

  constructor(parts: Parts, options: LoadOptions) {
    super(parts, options);
    this.labels = parts.manifest.vocabulary.labels.map(({ name }) => name);
  }

  /** All objects of the vocabulary, faint ones included, most confident first. */
  protected abstract detect(picture: Picture, usage: Usage): Promise<Labelled[]>;

  /** Leaves one detection of each object, the best. @param detections under a prompt's labels, best first */
  protected abstract distinct(detections: readonly Labelled[]): Labelled[];

  protected override async find(
    picture: Picture,
    request: SegmentRequest,
    usage: Usage,
  ): Promise<FoundBoxes> {
    const resolutions: Resolution[] = [];
    for (const prompt of request.prompts)
      resolutions.push(await this.parts.vocabulary.resolve(prompt, usage));
    const unserved = resolutions.flatMap(({ labels, message }, promptIndex) =>
      message === undefined ? [] : [{ promptIndex, message, isPart: labels.length > 0 }],
    );
    if (resolutions.every(({ labels }) => labels.length === 0)) return { boxes: [], unserved, cached: false };

    const { value, cached } = await this.#detections.get(picture.contentHash, usage, () =>
      this.detect(picture, usage),
    );
    const floor = this.#floor(request);
    const boxes = resolutions.flatMap(({ labels }, promptIndex) =>
      this.#select(value, labels, request).map(({ score, box, mask }) =>
        Object.assign({ promptIndex, score, box, faint: score < floor }, mask && { mask }),
      ),
    );
    return { boxes, unserved, cached };
  }

  override forget(): void {
    super.forget();
    this.#detections.clear();
  }

  /** A prompt's detections, best first. */
  #select(detections: readonly Labelled[], labels: readonly number[], request: SegmentRequest): Labelled[] {
    const { faintFloor } = this.parts.manifest.detection;
    const least = Math.max(request.threshold, request.withFaint ? faintFloor : this.#floor(request));
    return this.distinct(detections.filter(({ label, score }) => labels.includes(label) && score >= least));
  }

  /** The least confidence of a result; in a video, of a new track. */
  #floor({ inClip = false }: SegmentRequest): number {
    const { floor, clipFloor } = this.parts.manifest.detection;
    return inClip ? clipFloor : floor;
  }
}
