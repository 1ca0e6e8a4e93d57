import type {
  Rendered,
  RenderAnswer,
  RenderRequest,
  ThumbnailRequest,
  Under,
  UnderRequest,
} from "./messages.ts";

interface QueuedRequest {
  readonly request: RenderRequest;
  readonly signal: AbortSignal | undefined;
  /** Distance from the visible part of the page. */
  readonly distance: () => number;
  readonly take: (answer: RenderAnswer) => void;
}

/** Answer to pending requests when the worker is closed, or could not be loaded. */
const CLOSED: RenderAnswer = {
  failure: "The studio can’t draw this right now. Reload the page, then try again.",
};

/** Web worker that draws masks on pictures, one request at a time, the nearest to the visible part of the page first. */
export class Renderer {
  readonly #worker = new Worker(new URL("./render.worker.ts", import.meta.url), { type: "module" });
  readonly #waiting: QueuedRequest[] = [];
  #current: QueuedRequest | undefined;
  #isClosed = false;

  constructor() {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<RenderAnswer>) => {
      this.#current?.take(data);
      this.#current = undefined;
      this.#next();
    });
    // The worker answers errors of requests itself: this error means that it has not loaded.
    this.#worker.addEventListener("error", () => this.close());
  }

  /**
   * Draws a thumbnail.
   * @param distance returns the current distance from the visible part of the page, in any unit
   * @throws Error with a sentence if that is not possible; if aborted, the signal's reason
   */
  async thumbnail(
    request: ThumbnailRequest,
    signal: AbortSignal,
    distance: () => number,
  ): Promise<ImageBitmap> {
    const done = await this.#render(request, signal, distance);
    if (!(done instanceof ImageBitmap))
      throw new TypeError("The worker returned files instead of a thumbnail.");
    return done;
  }

  /** Makes files. @throws as `thumbnail` */
  async files(
    request: Exclude<RenderRequest, ThumbnailRequest | UnderRequest>,
    signal?: AbortSignal,
  ): Promise<Blob[]> {
    const done = await this.#render(request, signal);
    if (!Array.isArray(done)) throw new TypeError("The worker returned something other than files.");
    return done;
  }

  /** The mean color of a picture under each of some masks. @throws as `thumbnail` */
  async under(original: Blob, masks: readonly Blob[]): Promise<readonly Under[]> {
    const done = await this.#render({ type: "under", original, masks }, undefined);
    if (!("under" in done)) throw new TypeError("The worker returned no colours.");
    return done.under;
  }

  /** Ends the worker. Pending and later requests fail. */
  close(): void {
    this.#isClosed = true;
    this.#worker.terminate();
    this.#current?.take(CLOSED);
    for (const { take } of this.#waiting.splice(0)) take(CLOSED);
  }

  async #render(
    request: RenderRequest,
    signal: AbortSignal | undefined,
    distance = (): number => 0,
  ): Promise<Rendered> {
    const answer = await new Promise<RenderAnswer>((take) => {
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
