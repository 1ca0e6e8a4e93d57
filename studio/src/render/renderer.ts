import type { Baked, BakeAnswer, BakeRequest, ThumbnailRequest, Under, UnderRequest } from "./messages.ts";

interface Order {
  readonly request: BakeRequest;
  readonly signal: AbortSignal | undefined;
  /** How far it is from what people look at. */
  readonly distance: () => number;
  readonly take: (answer: BakeAnswer) => void;
}

/** What is answered to whom nothing is drawn any more: because nobody looks, or because the worker could not be loaded. */
const CLOSED: BakeAnswer = {
  failure: "The studio can’t draw this right now. Reload the page, then try again.",
};

/** A worker that draws masks on pictures, one request after the other; first what is nearest to what people look at. */
export class Bakery {
  readonly #worker = new Worker(new URL("./render.worker.ts", import.meta.url), { type: "module" });
  readonly #waiting: Order[] = [];
  #current: Order | undefined;
  #isClosed = false;

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<BakeAnswer>) => {
      this.#current?.take(data);
      this.#current = undefined;
      this.#next();
    });
    // It answers each request itself: this is a worker that has not loaded.
    this.#worker.addEventListener("error", () => this.close());
  }

  /**
   * Draws a thumbnail.
   * @param distance how far it is at a moment from what people look at, in any unit
   * @throws Error with a sentence if that is not possible; if aborted, the signal's reason
   */
  async thumbnail(
    request: ThumbnailRequest,
    signal: AbortSignal,
    distance: () => number,
  ): Promise<ImageBitmap> {
    const done = await this.#bake(request, signal, distance);
    if (!(done instanceof ImageBitmap))
      throw new TypeError("The worker returned files instead of a thumbnail.");
    return done;
  }

  /** Makes files. @throws as `thumbnail` */
  async files(
    request: Exclude<BakeRequest, ThumbnailRequest | UnderRequest>,
    signal?: AbortSignal,
  ): Promise<Blob[]> {
    const done = await this.#bake(request, signal);
    if (!Array.isArray(done)) throw new TypeError("The worker returned something else than files.");
    return done;
  }

  /** The mean colour of a picture under each of some masks. @throws as `thumbnail` */
  async under(original: Blob, masks: readonly Blob[]): Promise<readonly Under[]> {
    const done = await this.#bake({ type: "under", original, masks }, undefined);
    if (!("under" in done)) throw new TypeError("The worker returned no colours.");
    return done.under;
  }

  /** Ends the worker. What is not drawn by then is refused, as is what is asked for later. */
  close(): void {
    this.#isClosed = true;
    this.#worker.terminate();
    this.#current?.take(CLOSED);
    for (const { take } of this.#waiting.splice(0)) take(CLOSED);
  }

  async #bake(
    request: BakeRequest,
    signal: AbortSignal | undefined,
    distance = (): number => 0,
  ): Promise<Baked> {
    const answer = await new Promise<BakeAnswer>((take) => {
      if (this.#isClosed) return take(CLOSED);
      this.#waiting.push({ request, signal, distance, take });
      this.#next();
    });
    signal?.throwIfAborted();
    if ("failure" in answer) throw new Error(answer.failure);
    return answer.done;
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const distances = this.#waiting.map(({ distance }) => distance());
    const [next] = this.#waiting.splice(distances.indexOf(Math.min(...distances)), 1);
    if (next === undefined) return;
    if (next.signal?.aborted === true) {
      next.take({ failure: "aborted" });
      return this.#next();
    }
    this.#current = next;
    const { request } = next;
    this.#worker.postMessage(request, { transfer: [] });
  }
}
