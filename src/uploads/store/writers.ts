import { PART_BYTES } from "../rules/parts.ts";
import type { Media } from "../../shared/bucket/bucket.ts";

/** The written part of an object: the ETags of its parts in order, and the bytes after the last of them. */
export interface WrittenParts {
  readonly etags: readonly string[];
  readonly rest: Uint8Array;
}

/** The multipart upload that writes the object. */
export interface PartsUpload {
  /** The upload that an earlier writer began; null if there is none. */
  readonly uploadId: string | null;
  /** Called once this writer has begun an upload, before its first part. */
  readonly begun: (uploadId: string) => Promise<void>;
  /** Maximum size of the object, if it is known: a small object takes less memory. */
  readonly mostBytes?: number;
}

/**
 * Writes an object of unknown size: a small one in one PUT, a large one in equal parts. Memory holds at most one part and the
 * bytes just pushed. Another writer may continue from the result of `written`: only the parts with these ETags become the object,
 * so a part that was overwritten meanwhile makes `finish` fail, and never yields a wrong object.
 */
export class PartsWriter {
  readonly #media: Media;
  readonly #key: string;
  readonly #metadata: R2HTTPMetadata;
  readonly #begun: PartsUpload["begun"];
  readonly #etags: string[];
  readonly #part: Uint8Array;
  #uploadId: string | null;
  #filled = 0;
  #waiting: Uint8Array[] = [];
  /** Bytes pushed so far, including those of earlier writers. */
  size: number;

  constructor(
    media: Media,
    key: string,
    metadata: R2HTTPMetadata,
    { uploadId, begun, mostBytes = PART_BYTES }: PartsUpload,
    { etags, rest }: WrittenParts = { etags: [], rest: new Uint8Array() },
  ) {
    this.#media = media;
    this.#key = key;
    this.#metadata = metadata;
    this.#uploadId = uploadId;
    this.#begun = begun;
    this.#etags = [...etags];
    this.#part = new Uint8Array(Math.min(PART_BYTES, mostBytes));
    this.#part.set(rest);
    this.#filled = rest.length;
    this.size = etags.length * PART_BYTES + rest.length;
  }

  /** Adds bytes, to be written by the next `drain`. */
  push(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.size += bytes.length;
  }

  /** Writes all whole parts. Returns the number of parts written. */
  async drain(): Promise<number> {
    const before = this.#etags.length;
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
    return this.#etags.length - before;
  }

  /** Adds bytes, and writes all whole parts. */
  async write(bytes: Uint8Array): Promise<void> {
    this.push(bytes);
    await this.drain();
  }

  /** Returns the written part of the object; call `drain` first to include everything pushed. The bytes are a copy. */
  written(): WrittenParts {
    return { etags: [...this.#etags], rest: this.#part.slice(0, this.#filled) };
  }

  /** Writes the rest; the object exists when this returns. */
  async finish(): Promise<void> {
    await this.drain();
    if (this.#uploadId === null) {
      await this.#media.write(this.#key, this.#part.subarray(0, this.#filled), this.#metadata);
      return;
    }
    if (this.#filled > 0) await this.#writePart();
    await this.#media.completeParts(this.#key, await this.#upload(), this.#etags);
  }

  /** Abandons the object: none of its parts remains. */
  async abandon(): Promise<void> {
    if (this.#uploadId !== null) await this.#media.abortParts(this.#key, this.#uploadId);
  }

  async #upload(): Promise<string> {
    if (this.#uploadId === null) {
      this.#uploadId = await this.#media.beginParts(this.#key, this.#metadata);
      await this.#begun(this.#uploadId);
    }
    return this.#uploadId;
  }

  async #writePart(): Promise<void> {
    const bytes = this.#part.subarray(0, this.#filled);
    const etag = await this.#media.writePart(this.#key, await this.#upload(), this.#etags.length + 1, bytes);
    this.#etags.push(etag);
    this.#filled = 0;
  }
}

/** Writes an object of known size: passes bytes on as they come, and keeps none. The object exists only after `finish`. */
export class SizedWriter {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #stored: Promise<void>;

  /** @param size bytes */
  constructor(media: Media, key: string, metadata: R2HTTPMetadata, size: number) {
    const { readable, writable } = new FixedLengthStream(size);
    this.#writer = writable.getWriter();
    this.#stored = media.writeStream(key, readable, metadata);
    // The bytes have no reader any more: a pending write has to fail.
    this.#stored.catch((error: unknown) => this.#writer.abort(error).catch(() => {}));
  }

  /** Writes the next bytes. @throws if storage fails, or there are more than `size` in all. */
  async write(bytes: Uint8Array): Promise<void> {
    await this.#writer.write(bytes);
  }

  /** Completes the object; it exists when this returns. @throws if there were fewer bytes than `size`. */
  async finish(): Promise<void> {
    await this.#writer.close();
    await this.#stored;
  }

  async abandon(): Promise<void> {
    await this.#writer.abort().catch(() => {});
    await this.#stored.catch(() => {});
  }
}
