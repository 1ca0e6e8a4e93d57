import { Zip, ZipDeflate } from "fflate";

/** What a zip without its 64-bit extension can hold (APPNOTE.TXT 4.4.1.4, 4.4.21); fflate writes no extension. */
export const MAX_ZIP_ENTRIES = 65_535;
export const MAX_ZIP_BYTES = 0xffff_ffff;

/**
 * Writes a zip as a stream: entries one after the other, each in any number of chunks.
 *
 * Nothing is compressed: pictures and videos don't shrink, and a clip's masks are run lengths already. The entries still
 * use the method "deflate", with stored blocks (level 0; 5 bytes per 64 KiB). A streamed entry has its size and CRC behind
 * it, and readers that go through a zip from its start, such as Java's ZipInputStream, find the end of such an entry only
 * in a deflate stream.
 */
export class ZipWriter {
  readonly #zip: Zip;
  readonly #mtime: number;
  #failure: Error | null = null;

  /** `sink` receives each piece of the zip, in order; `mtime` (epoch ms) is the time of every entry. */
  constructor(sink: (piece: Uint8Array) => void, mtime: number) {
    this.#mtime = mtime;
    this.#zip = new Zip((error, piece) => {
      if (error) this.#failure = error;
      else if (piece.length > 0) sink(piece);
    });
  }

  /** Begins an entry and returns the function that takes its chunks; the last one, which may be empty, is `final`. */
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
