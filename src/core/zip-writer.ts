import { Zip, ZipDeflate } from "fflate";

/** What a zip without its 64-bit extension can hold (APPNOTE.TXT 4.4.1.4, 4.4.21); fflate writes no extension. */
export const MAX_ZIP_ENTRIES = 65_535;
export const MAX_ZIP_BYTES = 0xffff_ffff;

/**
 * Writes a zip as a stream: entries one after the other, each in any number of chunks.
 *
 * Nothing is compressed: pictures and videos don't shrink, and a clip's masks are run lengths already. Still the entries
 * are of the method "deflate" with its stored blocks (level 0; 5 bytes in each 64 KiB): a streamed entry has its size and
 * CRC behind it, and the readers that go through a zip from its start, Java's ZipInputStream among them, can find the end
 * of such an entry only in a deflate stream.
 */
export class ZipWriter {
  readonly #zip: Zip;
  readonly #mtime: number;
  #failure: Error | null = null;

  /** `sink` is called with each piece of the zip, in order; `mtime` (epoch ms) is the time of every entry. */
  constructor(sink: (piece: Uint8Array) => void, mtime: number) {
    this.#mtime = mtime;
    this.#zip = new Zip((error, piece) => {
      if (error) this.#failure = error;
      else if (piece.length > 0) sink(piece);
    });
  }

  /** Begins an entry; what it returns takes the entry's chunks, `final` with the last, which may be empty. */
  entry(name: string): (chunk: Uint8Array, final: boolean) => void {
    const file = new ZipDeflate(name, { level: 0 });
    file.mtime = this.#mtime;
    this.#zip.add(file);
    return (chunk, final) => {
      file.push(chunk, final);
      this.#check();
    };
  }

  /** Ends the zip with its directory. */
  end(): void {
    this.#zip.end();
    this.#check();
  }

  #check(): void {
    if (this.#failure !== null) throw this.#failure;
  }
}
