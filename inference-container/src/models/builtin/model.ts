/** The embedded model: finds a prompt's labels, their boxes, and the boxes' masks. */
import { Usage } from "../../device/usage.ts";
import { type Box, suppress } from "../box.ts";
import { cleanMask } from "../clean-mask.ts";
import { FamilyModel } from "../family-model.ts";
import type { GraphSet } from "../graph-set.ts";
import type { LoadOptions } from "../load-options.ts";
import type { Instance, LogitGrid, Picture, Segmentation, SegmentRequest } from "../model.ts";
import { detectionMemory } from "../remembered.ts";
import type { Detection } from "./detection.ts";
import type { Detector } from "./detector.ts";
import type { BuiltinManifest } from "./manifest.ts";
import { drawBoxes } from "../sam2/draw-boxes.ts";
import { type Sam2Picture, segmentOpen } from "../sam2/open-picture.ts";
import type { Segmenter } from "../sam2/segmenter.ts";
import type { Resolution, Vocabulary } from "./vocabulary.ts";

export interface BuiltinParts {
  readonly manifest: BuiltinManifest;
  readonly detector: Detector;
  readonly segmenter: Segmenter;
  readonly vocabulary: Vocabulary;
  readonly graphs: GraphSet;
}

export class BuiltinModel extends FamilyModel {
  readonly #parts: BuiltinParts;
  readonly labels: readonly string[];
  readonly #detections = detectionMemory<Detection>();

  constructor(parts: BuiltinParts, options: LoadOptions) {
    super(parts.manifest, parts.graphs, options);
    this.#parts = parts;
    this.labels = parts.manifest.vocabulary.labels.map(({ name }) => name);
  }

  segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { segmenter, manifest } = this.#parts;
    return segmentOpen(segmenter, manifest.masks, picture, request, (open) =>
      this.#segment(picture, request, open),
    );
  }

  async #segment(picture: Picture, request: SegmentRequest, open?: Sam2Picture): Promise<Segmentation> {
    const { detector, segmenter, vocabulary } = this.#parts;
    const usage = new Usage(request.usage);
    const resolutions: Resolution[] = [];
    for (const prompt of request.prompts) resolutions.push(await vocabulary.resolve(prompt, usage));
    const unserved = resolutions.flatMap((resolution, promptIndex) =>
      "message" in resolution ? [{ promptIndex, message: resolution.message }] : [],
    );
    if (unserved.length === request.prompts.length)
      return { instances: [], unserved, modelMs: usage.ms, featuresCached: false };

    const boxes = await this.#detections.get(picture.contentHash, usage, () =>
      detector.detect(picture, usage),
    );
    const wanted = resolutions.map(({ labels }) => this.#select(boxes.value, labels, request));
    const distinct = [...new Set(wanted.flat())];
    // A picture without any wanted object never needs the encoder.
    if (distinct.length === 0)
      return { instances: [], unserved, modelMs: usage.ms, featuresCached: boxes.cached };

    const { value, cached } = await this.features.get(picture.contentHash, usage, () =>
      open === undefined ? segmenter.encode(picture, usage) : open.share(),
    );
    using features = value;
    const chosen = distinct.map(({ box }) => box);
    const grids = await segmenter.masks(features, chosen, picture, usage);
    const masks = new Map(distinct.map((detection, i) => [detection, this.#cleaned(grids[i])]));
    const floor = this.#floor(request);
    const instances = wanted.flatMap((detections, promptIndex) =>
      detections.flatMap((detection) => this.#instance(promptIndex, detection, masks.get(detection), floor)),
    );
    return { instances, unserved, modelMs: usage.ms, featuresCached: boxes.cached && cached };
  }

  drawBoxes(picture: Picture, boxes: readonly Box[]): Promise<LogitGrid[]> {
    const { segmenter, manifest } = this.#parts;
    return drawBoxes({ segmenter, cleaning: manifest.masks, features: this.features }, picture, boxes);
  }

  override forget(): void {
    super.forget();
    this.#detections.clear();
  }

  /** A prompt's detections, best first; an object detected under two of its labels counts once. */
  #select(detections: readonly Detection[], labels: readonly number[], request: SegmentRequest): Detection[] {
    const { faintFloor, nmsIou } = this.#parts.manifest.detection;
    const least = Math.max(request.threshold, request.withFaint ? faintFloor : this.#floor(request));
    const matching = detections.filter(({ label, score }) => labels.includes(label) && score >= least);
    return suppress(matching, nmsIou);
  }

  /** The least confidence of what may stand alone. */
  #floor({ inClip = false }: SegmentRequest): number {
    const { floor, clipFloor } = this.#parts.manifest.detection;
    return inClip ? clipFloor : floor;
  }

  #instance(
    promptIndex: number,
    { score, box }: Detection,
    mask: LogitGrid | undefined,
    floor: number,
  ): Instance[] {
    const faint = score < floor;
    return mask === undefined ? [] : [{ promptIndex, score, box, mask, faint }];
  }

  /** The mask without specks; undefined if it has no positive logit. */
  #cleaned(grid: LogitGrid | undefined): LogitGrid | undefined {
    return grid?.logits.some((logit) => logit > 0) ? cleanMask(grid, this.#parts.manifest.masks) : undefined;
  }
}
