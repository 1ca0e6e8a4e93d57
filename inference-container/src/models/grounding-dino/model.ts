/** Grounding DINO with SAM 2: a prompt and the picture to boxes, boxes to masks. */
import type { Held } from "../../device/held.ts";
import { Usage } from "../../device/usage.ts";
import { cleanMask } from "../clean-mask.ts";
import type { RuntimeOptions } from "../graph.ts";
import type { GraphSet } from "../graph-set.ts";
import type { ImageTensor } from "../image-tensor.ts";
import type { Instance, Model, Picture, Segmentation, SegmentRequest } from "../model.ts";
import { detectionMemory, heldMemory, type Remembered } from "../remembered.ts";
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
  readonly maxBatch: number;
  readonly #parts: GroundingDinoParts;
  readonly #detections = detectionMemory<Detection>();
  readonly #features: Remembered<Held>;

  constructor(parts: GroundingDinoParts, options: RuntimeOptions & { readonly featureCacheBytes: number }) {
    this.#parts = parts;
    this.id = parts.manifest.id;
    this.version = parts.manifest.version;
    this.provider = options.provider;
    this.maxBatch = Math.max(parts.detector.maxBatch, parts.segmenter.maxBatch);
    this.#features = heldMemory(options.featureCacheBytes);
  }

  async segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { manifest, segmenter } = this.#parts;
    const { floor, faintFloor } = manifest.detection;
    const usage = new Usage(request.usage);
    const { detections, cached } = await this.#detect(picture, request.prompts, usage);
    const least = Math.max(request.threshold, request.withFaint ? faintFloor : floor);
    const wanted = detections.filter(({ score }) => score >= least);
    const outcome = { unserved: [], instances: [], featuresCached: cached };
    // A picture without any wanted object never pays for the encoder.
    if (wanted.length === 0) return { ...outcome, modelMs: usage.ms };

    const encoded = await this.#features.get(picture.contentHash, usage, () =>
      segmenter.encode(picture, usage),
    );
    using features = encoded.value;
    const boxes = wanted.map(({ box }) => box);
    const grids = await segmenter.masks(features, boxes, picture, usage);
    const instances = wanted.flatMap(({ promptIndex, score, box }, i): Instance[] => {
      const grid = grids[i];
      if (grid === undefined || !grid.logits.some((logit) => logit > 0)) return [];
      return [{ promptIndex, score, box, mask: cleanMask(grid, manifest.masks), faint: score < floor }];
    });
    const featuresCached = cached && encoded.cached;
    return { ...outcome, instances, modelMs: usage.ms, featuresCached };
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
    usage: Usage,
  ): Promise<{ detections: readonly Wanted[]; cached: boolean }> {
    const { detector } = this.#parts;
    let prepared: ImageTensor | undefined;
    let allCached = true;
    const detections: Wanted[] = [];
    for (const [promptIndex, prompt] of prompts.entries()) {
      const key = picture.contentHash === null ? null : `${picture.contentHash} ${prompt}`;
      const { value, cached } = await this.#detections.get(key, usage, async () => {
        prepared ??= await detector.prepare(picture);
        return detector.detect(picture, prepared, prompt, usage);
      });
      allCached &&= cached;
      for (const detection of value) detections.push({ promptIndex, ...detection });
    }
    return { detections, cached: allCached };
  }
}
