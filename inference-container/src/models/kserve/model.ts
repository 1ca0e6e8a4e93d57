/** A model on a server of the Open Inference Protocol: pictures go there, and instances come back. */
import sharp from "sharp";
import { Usage } from "../../device/usage.ts";
import type { LoadedModel, NamedSignature } from "../loaded-model.ts";
import type {
  DrawnRegion,
  Instance,
  LogitGrid,
  Picture,
  Region,
  Segmentation,
  SegmentRequest,
} from "../model.ts";
import { CLICKS, GRID, INPUTS, OUTPUTS } from "./contract.ts";
import { infer, type InferenceOptions, invalid } from "./infer.ts";
import type { KserveManifest } from "./manifest.ts";
import { type Outputs, WrongAnswer } from "./response.ts";
import { type Box, clipBox } from "../box.ts";
import type { Size } from "../../size.ts";

/** How often the server's readiness is checked. */
const HEALTH_EVERY_MS = 2_000;

export class KserveModel implements LoadedModel {
  readonly id: string;
  readonly version: string;
  readonly family: string;
  readonly provider = "kserve";
  readonly concurrency: number;
  readonly drawsRegions: boolean;
  readonly signatures: readonly NamedSignature[];
  readonly #manifest: KserveManifest;
  readonly #inference: InferenceOptions;
  readonly #timeoutMs: number;
  #watching: NodeJS.Timeout | undefined;

  /** @param timeoutMs how long one request may take @param drawsRegions whether the server's model has the input for regions */
  constructor(
    manifest: KserveManifest,
    inference: InferenceOptions,
    timeoutMs: number,
    drawsRegions: boolean,
  ) {
    const { id, version, family, server } = manifest;
    this.id = id;
    this.version = version;
    this.family = family;
    this.concurrency = server.concurrency;
    this.drawsRegions = drawsRegions;
    const inputs = described(drawsRegions ? [...INPUTS, CLICKS] : INPUTS);
    this.signatures = [{ name: `${server.model} at ${server.origin}`, inputs, outputs: described(OUTPUTS) }];
    this.#manifest = manifest;
    this.#inference = inference;
    this.#timeoutMs = timeoutMs;
  }

  async segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { image, objects } = this.#manifest;
    const usage = new Usage(request.usage);
    const { prompts, threshold, task } = request;
    const sent = await shrunk(picture, image.maxPixels);
    const regions = this.drawsRegions ? scaled(request.regions ?? [], picture, sent) : [];
    let least = threshold;
    const outputs = await infer(
      this.#inference,
      () => {
        // As late as possible: see SegmentRequest.
        least = Math.max(threshold, request.withFaint ? objects.faintFloor : objects.floor);
        const { contentHash } = picture;
        const timeoutMs = this.#timeoutMs;
        return {
          picture: sent,
          prompts,
          threshold: least,
          contentHash,
          timeoutMs,
          ...(this.drawsRegions && { regions }),
          ...(task !== undefined && { task }),
        };
      },
      usage,
    );
    try {
      const scores = { least: Math.fround(least), floor: Math.fround(objects.floor) };
      const instances = instancesOf(outputs, picture, sent, [prompts.length, regions.length], scores);
      const drawn = regions.map((_, region) => drawnOf(outputs, prompts.length, region));
      return { instances, unserved: [], regions: drawn, modelMs: usage.ms, featuresCached: false };
    } catch (error) {
      throw error instanceof WrongAnswer ? invalid(error) : error;
    }
  }

  /** Checks every two seconds whether the server is ready, and reports each change. */
  watch(changed: (problem: string | undefined) => void): void {
    let last: string | undefined;
    const look = async (): Promise<void> => {
      const problem = await this.#inference.server.problem();
      if (this.#watching === undefined) return;
      if ((problem === undefined) !== (last === undefined)) changed(problem);
      last = problem;
      this.#watching = setTimeout(() => void look(), HEALTH_EVERY_MS).unref();
    };
    this.#watching = setTimeout(() => void look(), HEALTH_EVERY_MS).unref();
  }

  /** The server has its own memory of pictures. */
  forget(): void {}

  close(): Promise<void> {
    clearTimeout(this.#watching);
    this.#watching = undefined;
    return Promise.resolve();
  }
}

const described = (
  tensors:
    | readonly (typeof INPUTS | typeof OUTPUTS)[number][]
    | readonly ((typeof INPUTS)[number] | typeof CLICKS)[],
): NamedSignature["inputs"] =>
  tensors.map(({ name, datatype, axes }) => ({ role: name, name, dtype: datatype, shape: [...axes] }));

/** The picture, shrunk in proportion if it has more pixels. */
async function shrunk(
  { width, height, rgb }: Picture,
  maxPixels: number,
): Promise<Pick<Picture, "width" | "height" | "rgb">> {
  const scale = Math.sqrt(maxPixels / (width * height));
  if (scale >= 1) return { width, height, rgb };
  const side = (size: number): number => Math.max(1, Math.floor(size * scale));
  const to = { width: side(width), height: side(height) };
  const raw = { width, height, channels: 3 } as const;
  const small = await sharp(rgb, { raw, limitInputPixels: false })
    .resize(to.width, to.height, { fit: "fill" })
    .raw()
    .toBuffer();
  return { ...to, rgb: small };
}

/** How far outside the picture a box may reach, in the sent picture's pixels: rounding, not another picture's box. */
const SLACK = 1;

/**
 * @param sent the size of the picture that was sent, in whose pixels boxes are
 * @param least the lowest score that was asked for; whatever is below is left out
 * @param floor the score below which an object is faint
 * @throws WrongAnswer naming the value that is impossible
 */
function instancesOf(
  outputs: Outputs,
  picture: Size,
  sent: Size,
  [prompts, regions]: readonly [number, number],
  { least, floor }: { readonly least: number; readonly floor: number },
): Instance[] {
  const [x, y] = [picture.width / sent.width, picture.height / sent.height];
  const instances = Array.from({ length: outputs.count }, (_, object): Instance[] => {
    const promptIndex = outputs.promptIndex[object] ?? NaN;
    if (!(promptIndex >= 0 && promptIndex < prompts + regions)) {
      const asked = `${prompts} prompts${regions === 0 ? "" : ` and ${regions} regions`}`;
      throw new WrongAnswer(`prompt_index[${object}] is ${promptIndex} of ${asked}.`);
    }
    const score = outputs.scores[object] ?? NaN;
    if (!(score >= 0 && score <= 1)) throw new WrongAnswer(`scores[${object}] is ${score}.`);
    // A region's mask; where it is was asked.
    if (promptIndex >= prompts) return [];
    const [x1, y1, x2, y2] = boxAt(outputs.boxes, object, sent);
    const mask = maskAt(outputs, object);
    const box = clipBox([x1 * x, y1 * y, x2 * x, y2 * y], picture.width, picture.height);
    if (box === undefined || score < least) return [];
    return [{ promptIndex, score, box, mask, faint: score < floor }];
  }).flat();
  return instances.toSorted((a, b) => a.promptIndex - b.promptIndex || b.score - a.score);
}

/** What the server drew for a region: its only object. @throws WrongAnswer if there is none, or more */
function drawnOf(outputs: Outputs, prompts: number, region: number): DrawnRegion {
  const objects = [...outputs.promptIndex.keys()].filter(
    (object) => outputs.promptIndex[object] === prompts + region,
  );
  const [object] = objects;
  if (object === undefined || objects.length > 1)
    throw new WrongAnswer(`The region ${region} has ${objects.length} objects instead of one.`);
  return { mask: maskAt(outputs, object), quality: outputs.scores[object] ?? 0 };
}

/** @throws WrongAnswer if a logit is not finite */
function maskAt({ masks }: Outputs, object: number): LogitGrid {
  const logits = new Float32Array(masks.subarray(object * GRID * GRID, (object + 1) * GRID * GRID));
  if (!logits.every((logit) => Number.isFinite(logit)))
    throw new WrongAnswer(`masks[${object}] has a logit that is not finite.`);
  return { width: GRID, height: GRID, logits };
}

/** Regions of a picture in the pixels of the sent one. */
function scaled(regions: readonly Region[], picture: Size, sent: Size): Region[] {
  const [x, y] = [sent.width / picture.width, sent.height / picture.height];
  return regions.map((region) => {
    if ("points" in region)
      return { points: region.points.map((point) => ({ ...point, x: point.x * x, y: point.y * y })) };
    const [x1, y1, x2, y2] = region.box;
    return { box: [x1 * x, y1 * y, x2 * x, y2 * y] };
  });
}

function boxAt(boxes: Float32Array, object: number, { width, height }: Size): Box {
  const [x1 = NaN, y1 = NaN, x2 = NaN, y2 = NaN] = boxes.subarray(4 * object, 4 * object + 4);
  const isInside = x1 >= -SLACK && y1 >= -SLACK && x2 <= width + SLACK && y2 <= height + SLACK;
  if (!(isInside && x1 < x2 && y1 < y2))
    throw new WrongAnswer(
      `boxes[${object}] is [${[x1, y1, x2, y2].join(", ")}] in a picture of ${width} × ${height}.`,
    );
  return [x1, y1, x2, y2];
}
