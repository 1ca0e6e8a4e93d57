import type { Answer } from "segmentation-client";
import type { Owner } from "./owner.ts";
import { USED_SHARE } from "./found-job.ts";

type Signed = Answer<"retrieveJobInputs">["inputs"];

/** Uploads with signed URLs; each is fetched once. */
export class SignedInputs {
  readonly #owner: Owner;
  readonly #ask: () => Promise<Signed>;
  #urls = new Map<string, string>();
  #signedUntil = 0;
  readonly #files = new Map<string, Promise<Blob | null>>();

  /** @param ask asks for them again, when their URLs end */
  constructor(owner: Owner, ask: () => Promise<Signed>, inputs: Signed) {
    this.#owner = owner;
    this.#ask = ask;
    this.#take(inputs);
  }

  #take(inputs: Signed): void {
    this.#urls = new Map(inputs.map(({ taskId, url }) => [taskId, url]));
    this.#signedUntil =
      Date.now() + Math.min(...inputs.map(({ expiresIn }) => expiresIn)) * 1_000 * USED_SHARE;
  }

  /** Tells whether a task's upload is among them. */
  has(taskId: string | null): boolean {
    return taskId !== null && this.#urls.has(taskId);
  }

  /** Fetches a task's upload; null if it is not among them. A failed fetch shows no picture. @throws SegmentationError */
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
    if (Date.now() > this.#signedUntil) this.#take(await this.#ask());
    const url = this.#urls.get(taskId);
    return url === undefined ? null : await this.#owner.client.download(url, { signal: this.#owner.signal });
  }
}
