import { ZipDeflate } from "fflate";
import {
  descriptor,
  directoryRow,
  endRecord,
  entryBytes,
  localHeader,
  type WrittenEntry,
} from "./zip-records.ts";

/** fflate's window: it makes one stored block (RFC 1951, 3.2.4) of each chunk of this size. */
const BLOCK_BYTES = 32_768;

/** Numbers of an entry: CRC-32, bytes in the zip, unpacked bytes. */
const NUMBERS_PER_ENTRY = 3;

/** Returns the number of entries that such numbers describe. */
export const countEntries = (numbers: Uint32Array): number => numbers.length / NUMBERS_PER_ENTRY;

/**
 * Writes a zip as a stream: entries one after the other, each in any number of chunks. Writing may stop between two entries;
 * another writer continues from the `names` and the `known` numbers of the entries so far.
 *
 * Compresses nothing: pictures and videos don't shrink, and a video's masks are run lengths already. The entries still use the
 * method "deflate", with stored blocks (level 0; 5 bytes per 32 KiB). The size and CRC of a streamed entry come after it. Readers
 * that read a zip from its start, such as Java's ZipInputStream, find the end of such an entry only in a deflate stream.
 */
export class ZipWriter {
  readonly #sink: (piece: Uint8Array) => void;
  readonly #mtime: number;
  readonly #names: string[];
  readonly #numbers: number[];

  /** `sink` receives each piece of the zip, in order; `mtime` (epoch ms) is the time of every entry. */
  constructor(
    sink: (piece: Uint8Array) => void,
    mtime: number,
    names: readonly string[] = [],
    known: Uint32Array = new Uint32Array(),
  ) {
    this.#sink = sink;
    this.#mtime = mtime;
    this.#names = [...names];
    this.#numbers = [...known];
  }

  /** Begins an entry and returns the function that takes its chunks; the last one, which may be empty, is `final`. */
  entry(name: string): (chunk: Uint8Array, final: boolean) => void {
    const file = new ZipDeflate(name, { level: 0 });
    let compressed = 0;
    file.ondata = (error, piece, final) => {
      if (error) throw error;
      compressed += piece.length;
      if (piece.length > 0) this.#sink(piece);
      if (final) this.#ended(name, { crc: file.crc, compressed, plain: file.size });
    };
    this.#sink(localHeader(name, this.#mtime));
    const blocks = new Blocks((block, final) => file.push(block, final));
    return (chunk, final) => blocks.push(chunk, final);
  }

  /** Returns the numbers of the entries so far. */
  known(): Uint32Array {
    return Uint32Array.from(this.#numbers);
  }

  /** Ends the zip with its directory. */
  end(): void {
    let at = 0;
    let bytes = 0;
    for (const [i, name] of this.#names.entries()) {
      const entry = this.#entryAt(i);
      const row = directoryRow(name, this.#mtime, entry, at);
      this.#sink(row);
      at += entryBytes(name, entry);
      bytes += row.length;
    }
    this.#sink(endRecord(this.#names.length, bytes, at));
  }

  #ended(name: string, entry: WrittenEntry): void {
    this.#sink(descriptor(entry));
    this.#names.push(name);
    this.#numbers.push(entry.crc, entry.compressed, entry.plain);
  }

  #entryAt(i: number): WrittenEntry {
    const first = i * NUMBERS_PER_ENTRY;
    const [crc = 0, compressed = 0, plain = 0] = this.#numbers.slice(first, first + NUMBERS_PER_ENTRY);
    return { crc, compressed, plain };
  }
}

/** Cuts an entry into blocks of one size, so that a zip's bytes do not depend on how its files are chunked. */
class Blocks {
  readonly #take: (block: Uint8Array, final: boolean) => void;
  #block = new Uint8Array();
  #filled = 0;

  constructor(take: (block: Uint8Array, final: boolean) => void) {
    this.#take = take;
  }

  push(chunk: Uint8Array, final: boolean): void {
    let rest = chunk;
    while (this.#filled + rest.length > BLOCK_BYTES) {
      const missing = BLOCK_BYTES - this.#filled;
      this.#take(this.#joined(rest.subarray(0, missing)), false);
      this.#filled = 0;
      rest = rest.subarray(missing);
    }
    if (final) this.#take(this.#joined(rest), true);
    else this.#fill(rest);
  }

  /** Returns the bytes waiting in the block, followed by these. */
  #joined(bytes: Uint8Array): Uint8Array {
    if (this.#filled === 0) return bytes;
    this.#fill(bytes);
    return this.#block.subarray(0, this.#filled);
  }

  #fill(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#block.length === 0) this.#block = new Uint8Array(BLOCK_BYTES);
    this.#block.set(bytes, this.#filled);
    this.#filled += bytes.length;
  }
}
