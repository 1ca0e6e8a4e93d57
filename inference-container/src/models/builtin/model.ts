/** The embedded model: prompts to labels, labels to boxes, boxes to masks. */
import { suppress } from "../box.ts";
import { ByteCache } from "../byte-cache.ts";
import { cleanMask } from "../clean-mask.ts";
import { detectionCache, remembered, tensorCache } from "../feature-cache.ts";
import type { GraphClock, RuntimeOptions, Tensors } from "../graph.ts";
import type { Instance, LogitGrid, Model, Picture, Segmentation, SegmentRequest } from "../model.ts";
import type { Detection, Detector } from "./detector.ts";
import type { BuiltinManifest } from "./manifest.ts";
import type { Segmenter } from "../sam2/segmenter.ts";
import type { Resolution, Vocabulary } from "./vocabulary.ts";

export interface BuiltinParts {
  readonly manifest: BuiltinManifest;
  readonly detector: Detector;
  readonly segmenter: Segmenter;
  readonly vocabulary: Vocabulary;
  /** Counts the milliseconds of all graphs together. */
  readonly clock: GraphClock;
  readonly close: () => Promise<void>;
}

export class BuiltinModel implements Model {
  readonly id: string;
  readonly version: string;
  readonly provider: string;
  readonly #parts: BuiltinParts;
  readonly #detections = detectionCache<Detection>();
  readonly #features: ByteCache<Tensors>;

  constructor(parts: BuiltinParts, options: RuntimeOptions & { readonly featureCacheBytes: number }) {
    this.#parts = parts;
    this.id = parts.manifest.id;
    this.version = parts.manifest.version;
    this.provider = options.provider;
    this.#features = tensorCache(options.featureCacheBytes);
  }

  async segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { clock, detector, segmenter, vocabulary } = this.#parts;
    clock.ms = 0;
    const resolutions: Resolution[] = [];
    for (const prompt of request.prompts) resolutions.push(await vocabulary.resolve(prompt));
    const unserved = resolutions.flatMap((resolution, promptIndex) =>
      "message" in resolution ? [{ promptIndex, message: resolution.message }] : [],
    );
    if (unserved.length === request.prompts.length)
      return { instances: [], unserved, modelMs: clock.ms, featuresCached: false };

    const boxes = await remembered(this.#detections, picture.contentHash, () => detector.detect(picture));
    const wanted = resolutions.map(({ labels }) => this.#select(boxes.value, labels, request));
    const distinct = [...new Set(wanted.flat())];
    // A picture without any wanted object never pays for the encoder.
    if (distinct.length === 0)
      return { instances: [], unserved, modelMs: clock.ms, featuresCached: boxes.cached };

    const features = await remembered(this.#features, picture.contentHash, () => segmenter.encode(picture));
    const grids = await segmenter.masks(
      features.value,
      distinct.map(({ box }) => box),
      picture,
    );
    const masks = new Map(distinct.map((detection, i) => [detection, this.#cleaned(grids[i])]));
    const instances = wanted.flatMap((detections, promptIndex) =>
      detections.flatMap((detection) => this.#instance(promptIndex, detection, masks.get(detection))),
    );
    return { instances, unserved, modelMs: clock.ms, featuresCached: boxes.cached && features.cached };
  }

  /** Drops what is remembered of pictures. */
  forget(): void {
    this.#detections.clear();
    this.#features.clear();
  }

  async close(): Promise<void> {
    this.forget();
    await this.#parts.close();
  }

  /** A prompt's detections, best first; one object that was taken for two of its labels counts once. */
  #select(detections: readonly Detection[], labels: readonly number[], request: SegmentRequest): Detection[] {
    const { floor, faintFloor, nmsIou } = this.#parts.manifest.detection;
    const least = Math.max(request.threshold, request.withFaint ? faintFloor : floor);
    const matching = detections.filter(({ label, score }) => labels.includes(label) && score >= least);
    return suppress(matching, nmsIou);
  }

  #instance(promptIndex: number, { score, box }: Detection, mask: LogitGrid | undefined): Instance[] {
    const faint = score < this.#parts.manifest.detection.floor;
    return mask === undefined ? [] : [{ promptIndex, score, box, mask, faint }];
  }

  /** A mask without specks; undefined where nothing is set. */
  #cleaned(grid: LogitGrid | undefined): LogitGrid | undefined {
    return grid?.logits.some((logit) => logit > 0) ? cleanMask(grid, this.#parts.manifest.masks) : undefined;
  }
}
