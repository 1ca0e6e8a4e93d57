import type { Media } from "./media.ts";

/** Above R2's smallest size of a part, and small enough for a Worker's memory. All parts but the last have this size. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * Writes an object of unknown size: a small one at once, a large one in equal parts. No more than one part and the bytes
 * just pushed are in memory.
 */
export class PartsWriter {
  readonly #media: Media;
  readonly #key: string;
  readonly #metadata: R2HTTPMetadata;
  readonly #parts: R2UploadedPart[] = [];
  #upload: R2MultipartUpload | null = null;
  #part = new Uint8Array(PART_BYTES);
  #filled = 0;
  #waiting: Uint8Array[] = [];
  /** Bytes pushed so far. */
  size = 0;

  constructor(media: Media, key: string, metadata: R2HTTPMetadata) {
    this.#media = media;
    this.#key = key;
    this.#metadata = metadata;
  }

  /** Takes bytes; they are written by the next `drain`. */
  push(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.size += bytes.length;
  }

  /** Writes what fills whole parts. Returns the number of parts written. */
  async drain(): Promise<number> {
    const before = this.#parts.length;
    for (const bytes of this.#waiting) {
      for (let offset = 0; offset < bytes.length;) {
        const taken = bytes.subarray(offset, offset + PART_BYTES - this.#filled);
        this.#part.set(taken, this.#filled);
        this.#filled += taken.length;
        offset += taken.length;
        if (this.#filled === PART_BYTES) await this.#writePart();
      }
    }
    this.#waiting = [];
    return this.#parts.length - before;
  }

  /** Writes the rest; the object is there when this returns. */
  async finish(): Promise<void> {
    await this.drain();
    if (this.#upload === null) {
      await this.#media.write(this.#key, this.#part.subarray(0, this.#filled), this.#metadata);
      return;
    }
    if (this.#filled > 0) await this.#writePart();
    await this.#upload.complete(this.#parts);
  }

  /** Gives up: neither object nor parts remain. */
  async abort(): Promise<void> {
    await this.#upload?.abort();
  }

  async #writePart(): Promise<void> {
    this.#upload ??= await this.#media.writeInParts(this.#key, this.#metadata);
    const bytes = this.#part.subarray(0, this.#filled);
    this.#parts.push(await this.#upload.uploadPart(this.#parts.length + 1, bytes));
    this.#filled = 0;
  }
}
