import { assetKey, ASSETS, type ImageManifest, mapParallel, SegmentationError } from "segmentation-client";
import { readMaskTexts } from "segmentation-client/masks";
import type { Instance } from "../rules/instances.ts";
import type { Owner } from "./owner.ts";

/** Signed URLs are not used in the last tenth of their life. */
export const USED_SHARE = 0.9;
/** Number of masks that are fetched in parallel. */
const PARALLEL = 6;

/** Results of a job of pictures, partial while it runs. Masks are fetched by picture, when it is opened. */
export class FoundJob {
  readonly jobId: string;
  /** False if the job was running: then there may be more results by now. */
  readonly isFinal: boolean;
  readonly prompts: readonly string[];
  /** Of each task's masks, by taskId. */
  readonly confidences: ReadonlyMap<string, readonly number[]>;
  readonly #owner: Owner;
  readonly #instances = new Map<string, Promise<Instance[]>>();
  #manifest: ImageManifest;
  #embeddings: Signed["embeddings"];
  #signedUntil: number;

  private constructor(owner: Owner, isFinal: boolean, { manifest, embeddings, signedUntil }: Signed) {
    this.isFinal = isFinal;
    this.#owner = owner;
    this.jobId = manifest.jobId;
    this.prompts = manifest.prompts;
    this.confidences = new Map(
      manifest.items.map(({ taskId, masks }) => [taskId, masks.map(({ confidence }) => confidence)]),
    );
    this.#manifest = manifest;
    this.#embeddings = embeddings;
    this.#signedUntil = signedUntil;
  }

  /** Asks for a job's result. @throws SegmentationError `job_not_ready` if it has failed */
  static async open(owner: Owner, jobId: string, isFinal = true): Promise<FoundJob> {
    return new FoundJob(owner, isFinal, await askFor(owner, jobId));
  }

  /** Fetches a task's masks once, in the service's order: by prompt, then by falling confidence. @throws SegmentationError */
  async instances(taskId: string): Promise<Instance[]> {
    const fetched = this.#instances.get(taskId) ?? this.#fetch(taskId);
    this.#instances.set(taskId, fetched);
    try {
      return await fetched;
    } catch (error) {
      this.#instances.delete(taskId);
      throw error;
    }
  }

  async #fetch(taskId: string): Promise<Instance[]> {
    const { masks = [] } = (await this.#item(taskId)) ?? {};
    const numbers = new Map<string | null, number>();
    const { client, signal: left } = this.#owner;
    const files = await mapParallel(masks, PARALLEL, left, async ({ url }, _, signal) => {
      const png = await client.download(url, { signal });
      const { width, height, texts } = readMaskTexts(new Uint8Array(await png.arrayBuffer()));
      const prompt = texts.get("prompt") ?? null;
      const region = texts.get("region");
      return {
        png,
        width,
        height,
        prompt,
        label: prompt ?? texts.get("label") ?? null,
        ...(region !== undefined && { region: Number(region) }),
      };
    });
    return files.map(({ label, ...file }, i) => {
      const { maskIndex = i, confidence = 0 } = masks[i] ?? {};
      const number = 1 + (numbers.get(label) ?? 0);
      numbers.set(label, number);
      const id = `${this.jobId}/${taskId}/${maskIndex}`;
      return Object.assign({}, file, { id, object: id, label, confidence, number });
    });
  }

  /** The picture with its masks drawn on it, of a job with previews; null if there is none. @throws SegmentationError */
  async preview(taskId: string): Promise<Blob | null> {
    const { previewUrl } = (await this.#item(taskId)) ?? {};
    return previewUrl === undefined ? null : await this.#owner.client.download(previewUrl);
  }

  /** Tells whether the job has returned a picture's embedding. */
  hasEmbedding(taskId: string): boolean {
    return this.#embeddings.has(assetKey(ASSETS.image.embedding, taskId));
  }

  /** Fetches a picture's embedding. @throws SegmentationError */
  async embedding(taskId: string): Promise<Blob> {
    await this.#signAgain();
    const url = this.#embeddings.get(assetKey(ASSETS.image.embedding, taskId)) ?? "";
    return await this.#owner.client.download(url, { signal: this.#owner.signal });
  }

  async #signAgain(): Promise<void> {
    if (Date.now() > this.#signedUntil) this.#take(await askFor(this.#owner, this.jobId));
  }

  #take({ manifest, embeddings, signedUntil }: Signed): void {
    this.#manifest = manifest;
    this.#embeddings = embeddings;
    this.#signedUntil = signedUntil;
  }

  async #item(taskId: string): Promise<ImageManifest["items"][number] | undefined> {
    await this.#signAgain();
    return this.#manifest.items.find((item) => item.taskId === taskId);
  }
}

/** A job's result with signed URLs. */
interface Signed {
  readonly manifest: ImageManifest;
  /** URLs of embeddings, by asset key. */
  readonly embeddings: ReadonlyMap<string, string>;
  readonly signedUntil: number;
}

async function askFor({ api, signal }: Owner, jobId: string): Promise<Signed> {
  const askedAt = Date.now();
  const { manifest, assets, expiresIn } = await api.retrieveJobResult(
    { jobId, include: "unfinished" },
    { signal },
  );
  if (manifest.type !== "image")
    throw new SegmentationError("invalid_input", "This is not an image job.", { jobId });
  const embeddings = assets.filter(({ key }) => key.startsWith("embeddings/"));
  return {
    manifest,
    embeddings: new Map(embeddings.map(({ key, url }) => [key, url])),
    signedUntil: askedAt + expiresIn * 1_000 * USED_SHARE,
  };
}
