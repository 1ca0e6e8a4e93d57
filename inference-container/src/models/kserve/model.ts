/** A model on a server of the Open Inference Protocol: pictures go there, and instances come back. */
import sharp from "sharp";
import { Usage } from "../../device/usage.ts";
import type { LoadedModel, NamedSignature } from "../loaded-model.ts";
import type { Instance, Picture, Segmentation, SegmentRequest } from "../model.ts";
import { GRID, INPUTS, OUTPUTS } from "./contract.ts";
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
  readonly signatures: readonly NamedSignature[];
  readonly #manifest: KserveManifest;
  readonly #inference: InferenceOptions;
  readonly #timeoutMs: number;
  #watching: NodeJS.Timeout | undefined;

  /** @param timeoutMs how long one request may take */
  constructor(manifest: KserveManifest, inference: InferenceOptions, timeoutMs: number) {
    const { id, version, family, server } = manifest;
    this.id = id;
    this.version = version;
    this.family = family;
    this.concurrency = server.concurrency;
    this.signatures = [
      { name: `${server.model} at ${server.origin}`, inputs: described(INPUTS), outputs: described(OUTPUTS) },
    ];
    this.#manifest = manifest;
    this.#inference = inference;
    this.#timeoutMs = timeoutMs;
  }

  async segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { image, objects } = this.#manifest;
    const usage = new Usage(request.usage);
    const { prompts, threshold, task } = request;
    const sent = await shrunk(picture, image.maxPixels);
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
          ...(task !== undefined && { task }),
        };
      },
      usage,
    );
    try {
      const scores = { least: Math.fround(least), floor: Math.fround(objects.floor) };
      const instances = instancesOf(outputs, picture, sent, prompts.length, scores);
      return { instances, unserved: [], modelMs: usage.ms, featuresCached: false };
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

const described = (tensors: typeof INPUTS | typeof OUTPUTS): NamedSignature["inputs"] =>
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
  prompts: number,
  { least, floor }: { readonly least: number; readonly floor: number },
): Instance[] {
  const [x, y] = [picture.width / sent.width, picture.height / sent.height];
  const instances = Array.from({ length: outputs.count }, (_, object): Instance[] => {
    const promptIndex = outputs.promptIndex[object] ?? NaN;
    if (!(promptIndex >= 0 && promptIndex < prompts))
      throw new WrongAnswer(`prompt_index[${object}] is ${promptIndex} of ${prompts} prompts.`);
    const score = outputs.scores[object] ?? NaN;
    if (!(score >= 0 && score <= 1)) throw new WrongAnswer(`scores[${object}] is ${score}.`);
    const [x1, y1, x2, y2] = boxAt(outputs.boxes, object, sent);
    const halves = outputs.masks.subarray(object * GRID * GRID, (object + 1) * GRID * GRID);
    const logits = new Float32Array(halves);
    if (!logits.every((logit) => Number.isFinite(logit)))
      throw new WrongAnswer(`masks[${object}] has a logit that is not finite.`);
    const box = clipBox([x1 * x, y1 * y, x2 * x, y2 * y], picture.width, picture.height);
    if (box === undefined || score < least) return [];
    return [{ promptIndex, score, box, mask: { width: GRID, height: GRID, logits }, faint: score < floor }];
  }).flat();
  return instances.toSorted((a, b) => a.promptIndex - b.promptIndex || b.score - a.score);
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
