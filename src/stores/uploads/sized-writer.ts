import type { Media } from "../media.ts";

/** Writes an object of a size that is known: the bytes go on as they come, and none is kept. Until `finish` there is no object. */
export class SizedWriter {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #stored: Promise<void>;

  /** @param size bytes */
  constructor(media: Media, key: string, metadata: R2HTTPMetadata, size: number) {
    const { readable, writable } = new FixedLengthStream(size);
    this.#writer = writable.getWriter();
    this.#stored = media.writeStream(key, readable, metadata);
    // Nobody takes the bytes any more: a write that waits has to fail.
    this.#stored.catch((error: unknown) => this.#writer.abort(error).catch(() => {}));
  }

  /** Writes the next bytes. @throws if storage fails, or there are more than `size` in all. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#writer.write(bytes);
  }

  /** Ends the object; it is there when this returns. @throws if there were fewer bytes than `size`. */
  async finish(): Promise<void> {
    await this.#writer.close();
    await this.#stored;
  }

  /** Gives the object up. */
  async abandon(): Promise<void> {
    await this.#writer.abort().catch(() => {});
    await this.#stored.catch(() => {});
  }
}
