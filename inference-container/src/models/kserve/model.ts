/** A model on a server of the Open Inference Protocol: pictures go there, and instances come back. */
import sharp from "sharp";
import { setTimeout as sleep } from "node:timers/promises";
import { Usage } from "../../device/usage.ts";
import { Semaphore } from "../../semaphore.ts";
import { scaledRegion } from "../box.ts";
import { ModelFolderError } from "../errors.ts";
import { readManifest } from "../folder.ts";
import type { LoadedModel, LoadOptions, NamedSignature } from "../loaded-model.ts";
import type { Picture, Segmentation, SegmentRequest } from "../model.ts";
import { severalThings } from "../text/prompt-list.ts";
import { checkMetadata, type Contracted, inputsOf, OUTPUTS } from "./contract.ts";
import { infer, type InferenceOptions, invalid, LINGER_MS, PATIENCE_MS } from "./infer.ts";
import { KserveManifest } from "./manifest.ts";
import { drawnOf, instancesOf } from "./objects.ts";
import { WrongAnswer } from "./response.ts";
import { ModelServer } from "./server.ts";

const LOOK_EVERY_MS = 1_000;

/**
 * Opens a folder of the family `kserve`: finds its server, and checks that the model there is what the service expects.
 * @throws ModelFolderError if the server isn't ready within the options' patience, or has another model
 */
export async function openKserve(folder: string, options: LoadOptions): Promise<KserveModel> {
  const manifest = await readManifest(folder, KserveManifest);
  const server = new ModelServer(manifest.server, options.serverToken);
  const end = performance.now() + options.serverPatienceMs;
  for (;;) {
    const problem = await server.problem();
    if (problem === undefined) break;
    if (performance.now() + LOOK_EVERY_MS > end) throw new ModelFolderError(problem);
    await sleep(LOOK_EVERY_MS);
  }
  const drawsRegions = checkMetadata(server.name, await server.metadata());
  const semaphore = new Semaphore(manifest.server.concurrency);
  const { most } = manifest.objects;
  return new KserveModel(
    manifest,
    { server, semaphore, most, patienceMs: PATIENCE_MS, lingerMs: LINGER_MS },
    options.requestTimeoutMs,
    drawsRegions,
  );
}

/** The interval of the checks of the server's readiness. */
const HEALTH_EVERY_MS = 2_000;

class KserveModel implements LoadedModel {
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

  /**
   * @param timeoutMs the time limit of one request
   * @param drawsRegions true if the server's model has the input for regions
   */
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
    const [inputs, outputs] = [described(inputsOf(drawsRegions)), described(OUTPUTS)];
    this.signatures = [{ name: `${server.model} at ${server.origin}`, inputs, outputs }];
    this.#manifest = manifest;
    this.#inference = inference;
    this.#timeoutMs = timeoutMs;
  }

  async segment(picture: Picture, request: SegmentRequest): Promise<Segmentation> {
    const { image, objects } = this.#manifest;
    const usage = new Usage(request.usage);
    const { prompts, threshold, task } = request;
    const sent = await shrunk(picture, image.maxPixels);
    const asked = this.drawsRegions ? (request.regions ?? []) : [];
    const regions = asked.map((region) => scaledRegion(region, picture, sent));
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
      const counts = { prompts: prompts.length, regions: regions.length };
      const instances = instancesOf(outputs, picture, sent, counts, scores);
      const drawn = regions.map((_, region) => drawnOf(outputs, prompts.length, region));
      const unserved = severalThings(prompts);
      return { instances, unserved, regions: drawn, modelMs: usage.ms, featuresCached: false };
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

const described = (tensors: readonly Contracted[]): NamedSignature["inputs"] =>
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
