/** Grounding DINO with SAM 2: finds a prompt's boxes in the picture, then draws the boxes' masks. */
import { Usage } from "../../device/usage.ts";
import type { Box } from "../box.ts";
import { cleanMask } from "../clean-mask.ts";
import { FamilyModel } from "../family-model.ts";
import type { GraphSet } from "../graph-set.ts";
import type { LoadOptions } from "../load-options.ts";
import type { ImageTensor } from "../image-tensor.ts";
import type { Instance, LogitGrid, Picture, Segmentation, SegmentRequest } from "../model.ts";
import { detectionMemory } from "../remembered.ts";
import { drawBoxes } from "../sam2/draw-boxes.ts";
import { type Sam2Picture, segmentOpen } from "../sam2/open-picture.ts";
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

export class GroundingDinoModel extends FamilyModel {
  readonly #parts: GroundingDinoParts;
  readonly #detections = detectionMemory<Detection>();

  constructor(parts: GroundingDinoParts, options: LoadOptions) {
    super(parts.manifest, parts.graphs, options);
    this.#parts = parts;
  }

  segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { segmenter, manifest } = this.#parts;
    return segmentOpen(segmenter, manifest.masks, picture, request, (open) =>
      this.#segment(picture, request, open),
    );
  }

  async #segment(picture: Picture, request: SegmentRequest, open?: Sam2Picture): Promise<Segmentation> {
    const { manifest, segmenter } = this.#parts;
    const { floor, faintFloor } = manifest.detection;
    const usage = new Usage(request.usage);
    const { detections, cached } = await this.#detect(picture, request.prompts, usage);
    const least = Math.max(request.threshold, request.withFaint ? faintFloor : floor);
    const wanted = detections.filter(({ score }) => score >= least);
    const outcome = { unserved: [], instances: [], featuresCached: cached };
    // A picture without any wanted object never needs the encoder.
    if (wanted.length === 0) return { ...outcome, modelMs: usage.ms };

    const encoded = await this.features.get(picture.contentHash, usage, () =>
      open === undefined ? segmenter.encode(picture, usage) : open.share(),
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

  drawBoxes(picture: Picture, boxes: readonly Box[]): Promise<LogitGrid[]> {
    const { segmenter, manifest } = this.#parts;
    return drawBoxes({ segmenter, cleaning: manifest.masks, features: this.features }, picture, boxes);
  }

  override forget(): void {
    super.forget();
    this.#detections.clear();
  }

  /** Every prompt's detections; the detector mixes picture and words early, so it runs in full for each prompt. */
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
