import { readEmbedding } from "@segmentation/masks";
import { fetchDecoder } from "segmentation-client/interactive";
import { model } from "../service/model.ts";
import type { Owner } from "../service/owner.ts";
import type { DecodeAnswer, Decoded, DecodeFailure, DecodeRequest, Decoding, Embedded } from "./messages.ts";
import { LastingError } from "./replaceable.ts";

/** The model's decoder in a web worker. */
export class Decoder {
  readonly #worker = new Worker(new URL("./decode.worker.ts", import.meta.url), { type: "module" });
  readonly #waiting: ((answer: DecodeAnswer) => void)[] = [];
  #lost: DecodeFailure | null = null;
  /** The latest mask: a click where its preview is shown needs no other one. */
  #latest: { readonly of: Embedded & Decoding; readonly mask: Promise<Decoded> } | null = null;

  private constructor(signal: AbortSignal) {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<DecodeAnswer>) =>
      this.#waiting.shift()?.(data),
    );
    // The worker reports its own failures: this error means that its script has not loaded, or that its memory is full.
    this.#worker.addEventListener("error", () => this.#end("The decoder’s worker has failed."));
    signal.addEventListener("abort", () => this.close());
  }

  /**
   * Loads the decoder of the service's model; its worker ends when the owner leaves.
   * @throws Error if it can't be fetched; LastingError if the browser can't run it
   */
  static async load(owner: Owner): Promise<Decoder> {
    const { api, client, signal } = owner;
    // The pages' policy allows the studio's own origin, under whichever name it was opened.
    const download = (url: string): Promise<Blob> =>
      client.download(new URL(new URL(url).pathname, location.origin).href, { signal });
    const file = await fetchDecoder({ api, download });
    signal.throwIfAborted();
    const decoder = new Decoder(signal);
    try {
      await decoder.#ask({ type: "load", decoder: file }, [file.buffer]);
      return decoder;
    } catch (error) {
      decoder.close();
      throw error;
    }
  }

  /** Ends its worker. */
  close(): void {
    this.#end("The decoder is closed.");
  }

  /** Prepares for a picture. Returns false if another model has made its embedding. @throws Error if that is damaged */
  async open({ taskId, embedding }: Embedded): Promise<boolean> {
    if (!(await isOfModel(embedding))) return false;
    await this.#ask({ type: "open", taskId, embedding });
    return true;
  }

  /** Draws a region's mask. @throws Error */
  async decode(of: Embedded & Decoding): Promise<Decoded> {
    if (this.#latest === null || !isSame(this.#latest.of, of)) this.#latest = { of, mask: this.#decode(of) };
    return await this.#latest.mask;
  }

  async #decode({ taskId, embedding, region, prior }: Embedded & Decoding): Promise<Decoded> {
    const done = await this.#ask({ type: "decode", taskId, embedding, region, prior });
    if (done === null) throw new TypeError("The worker returned no mask.");
    return done;
  }

  async #ask(request: DecodeRequest, transfer: Transferable[] = []): Promise<Decoded | null> {
    const answer = await new Promise<DecodeAnswer>((resolve) => {
      if (this.#lost !== null) return resolve(this.#lost);
      this.#waiting.push(resolve);
      this.#worker.postMessage(request, transfer);
    });
    if ("failure" in answer)
      throw answer.isLasting ? new LastingError(answer.failure) : new Error(answer.failure);
    return answer.done;
  }

  #end(failure: string): void {
    this.#lost = { failure, isLasting: false };
    this.#worker.terminate();
    for (const answer of this.#waiting.splice(0)) answer(this.#lost);
  }
}

const isSame = (a: Embedded & Decoding, b: Embedded & Decoding): boolean =>
  a.taskId === b.taskId && a.prior === b.prior && JSON.stringify(a.region) === JSON.stringify(b.region);

/** Returns true if an embedding comes from the service's model: the decoder can't read those of other models. */
async function isOfModel(embedding: Blob): Promise<boolean> {
  const { id, version } = readEmbedding(new Uint8Array(await embedding.arrayBuffer())).model;
  return id === model.peek()?.id && version === model.peek()?.version;
}
