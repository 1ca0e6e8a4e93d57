/** Grounding DINO with SAM 2: a prompt and the picture to boxes, boxes to masks. */
import { ByteCache } from "../byte-cache.ts";
import { cleanMask } from "../clean-mask.ts";
import { detectionCache, remembered, tensorCache } from "../feature-cache.ts";
import type { RuntimeOptions, Tensors } from "../graph.ts";
import type { GraphSet } from "../graph-set.ts";
import type { ImageTensor } from "../image-tensor.ts";
import type { Instance, Model, Picture, Segmentation, SegmentRequest } from "../model.ts";
import type { Segmenter } from "../sam2/segmenter.ts";
import type { Detection, Detector } from "./detector.ts";
import type { GroundingDinoManifest } from "./manifest.ts";

export interface GroundingDinoParts {
  readonly manifest: GroundingDinoManifest;
  readonly graphs: GraphSet;
  readonly detector: Detector;
  readonly segmenter: Segmenter;
}

interface Wanted extends Detection {
  readonly promptIndex: number;
}

export class GroundingDinoModel implements Model {
  readonly id: string;
  readonly version: string;
  readonly provider: string;
  readonly #parts: GroundingDinoParts;
  readonly #detections = detectionCache<Detection>();
  readonly #features: ByteCache<Tensors>;

  constructor(parts: GroundingDinoParts, options: RuntimeOptions & { readonly featureCacheBytes: number }) {
    this.#parts = parts;
    this.id = parts.manifest.id;
    this.version = parts.manifest.version;
    this.provider = options.provider;
    this.#features = tensorCache(options.featureCacheBytes);
  }

  async segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { manifest, graphs, segmenter } = this.#parts;
    const { floor, faintFloor } = manifest.detection;
    graphs.clock.ms = 0;
    const { detections, cached } = await this.#detect(picture, request.prompts);
    const least = Math.max(request.threshold, request.withFaint ? faintFloor : floor);
    const wanted = detections.filter(({ score }) => score >= least);
    const outcome = { unserved: [], instances: [], featuresCached: cached };
    // A picture without any wanted object never pays for the encoder.
    if (wanted.length === 0) return { ...outcome, modelMs: graphs.clock.ms };

    const features = await remembered(this.#features, picture.contentHash, () => segmenter.encode(picture));
    const boxes = wanted.map(({ box }) => box);
    const grids = await segmenter.masks(features.value, boxes, picture);
    const instances = wanted.flatMap(({ promptIndex, score, box }, i): Instance[] => {
      const grid = grids[i];
      if (grid === undefined || !grid.logits.some((logit) => logit > 0)) return [];
      return [{ promptIndex, score, box, mask: cleanMask(grid, manifest.masks), faint: score < floor }];
    });
    const featuresCached = cached && features.cached;
    return { ...outcome, instances, modelMs: graphs.clock.ms, featuresCached };
  }

  /** Drops what is remembered of pictures. */
  forget(): void {
    this.#detections.clear();
    this.#features.clear();
  }

  async close(): Promise<void> {
    this.forget();
    await this.#parts.graphs.close();
  }

  /** Every prompt's detections; the detector mixes picture and words early, so that it runs whole for each. */
  async #detect(
    picture: Picture,
    prompts: readonly string[],
  ): Promise<{ detections: readonly Wanted[]; cached: boolean }> {
    const { detector } = this.#parts;
    let prepared: ImageTensor | undefined;
    let allCached = true;
    const detections: Wanted[] = [];
    for (const [promptIndex, prompt] of prompts.entries()) {
      const key = picture.contentHash === null ? null : `${picture.contentHash} ${prompt}`;
      const { value, cached } = await remembered(this.#detections, key, async () => {
        prepared ??= await detector.prepare(picture);
        return detector.detect(picture, prepared, prompt);
      });
      allCached &&= cached;
      for (const detection of value) detections.push({ promptIndex, ...detection });
    }
    return { detections, cached: allCached };
  }
}
