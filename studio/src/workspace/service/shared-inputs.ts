import type { Answer } from "segmentation-client";
import type { Owner } from "./owner.ts";
import { USED_SHARE } from "./found-job.ts";

type SharedInputs = Answer<"retrieveShare">;

/** The uploads that a share's link shows; each is fetched once. */
export class Inputs {
  readonly share: SharedInputs["share"];
  readonly #owner: Owner;
  #urls: Map<string, string>;
  #signedUntil: number;
  readonly #files = new Map<string, Promise<Blob | null>>();

  private constructor(owner: Owner, { share, inputs }: SharedInputs, askedAt: number) {
    this.share = share;
    this.#owner = owner;
    this.#urls = new Map(inputs.map(({ taskId, url }) => [taskId, url]));
    this.#signedUntil = askedAt + Math.min(...inputs.map((input) => input.expiresIn)) * 1_000 * USED_SHARE;
  }

  /** Asks what a job's link shows. @throws SegmentationError with the status 401 if it has ended */
  static async open(owner: Owner, jobId: string): Promise<Inputs> {
    const askedAt = Date.now();
    return new Inputs(owner, await owner.api.retrieveShare({ jobId }, { signal: owner.signal }), askedAt);
  }

  /** Tells whether the link shows a task's upload. */
  has(taskId: string | null): boolean {
    return taskId !== null && this.#urls.has(taskId);
  }

  /** Fetches a task's upload; null if the link does not show it. One that can't be fetched is not shown. @throws SegmentationError */
  async fetch(taskId: string): Promise<Blob | null> {
    const there = this.#files.get(taskId) ?? this.#download(taskId);
    this.#files.set(taskId, there);
    try {
      return await there;
    } catch (error) {
      this.#urls.delete(taskId);
      throw error;
    }
  }

  async #download(taskId: string): Promise<Blob | null> {
    if (Date.now() > this.#signedUntil) {
      const again = await Inputs.open(this.#owner, this.share.jobId);
      this.#urls = again.#urls;
      this.#signedUntil = again.#signedUntil;
    }
    const url = this.#urls.get(taskId);
    return url === undefined ? null : await this.#owner.client.download(url, { signal: this.#owner.signal });
  }
}
