import { createHash } from "node:crypto";
import { open, type FileHandle } from "node:fs/promises";

/** The finished file; `size` is in bytes, `md5` its digest in base64, as Content-MD5 carries it. */
export interface WrittenText {
  readonly size: number;
  readonly md5: string;
}

/** Bytes of text in the buffer before they are written. */
const CHUNK_BYTES = 256 * 1024;

/**
 * Writes a string of any length piece by piece; at most one chunk is in memory. Await each call before the next. The opener has to
 * dispose of it, which also closes an unfinished file.
 */
export class TextFile {
  readonly #file: FileHandle;
  readonly #limitBytes: number;
  readonly #refuse: () => Error;
  readonly #hash = createHash("md5");
  #gathered: string[] = [];
  #gatheredBytes = 0;
  #size = 0;

  private constructor(file: FileHandle, head: string, limitBytes: number, refuse: () => Error) {
    this.#file = file;
    this.#limitBytes = limitBytes;
    this.#refuse = refuse;
    this.#gather(head);
  }

  /**
   * Creates or overwrites the file, which begins with `head`.
   *
   * @param limitBytes the largest size without its end
   * @param refuse makes the error of a string that is larger
   */
  static async open(path: string, head: string, limitBytes: number, refuse: () => Error): Promise<TextFile> {
    return new TextFile(await open(path, "w"), head, limitBytes, refuse);
  }

  /** Appends a string. @throws the error of `refuse` if the file would exceed its limit */
  async write(text: string): Promise<void> {
    this.#gather(text);
    if (this.#size > this.#limitBytes) throw this.#refuse();
    if (this.#gatheredBytes >= CHUNK_BYTES) await this.#flush();
  }

  /** Writes the rest and the `end`, and closes the file. */
  async finish(end: string): Promise<WrittenText> {
    this.#gather(end);
    await this.#flush();
    await this.#file.close();
    return { size: this.#size, md5: this.#hash.digest("base64") };
  }

  /** Closes the file and keeps its content. Never rejects, because that would hide another failure. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close().catch(() => {});
  }

  #gather(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#gathered.push(text);
    this.#gatheredBytes += bytes;
    this.#size += bytes;
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#gathered.join(""));
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#hash.update(bytes);
    await this.#file.writeFile(bytes);
  }
}
