/**
 * The records of a zip (APPNOTE.TXT 4.3) around its entries' bytes: streamed deflate entries, without encryption and without
 * the 64-bit extension. Numbers are little-endian.
 */

/** The limits of a zip without the 64-bit extension (APPNOTE.TXT 4.4.1.4, 4.4.21). */
export const MAX_ZIP_ENTRIES = 65_535;
export const MAX_ZIP_BYTES = 0xffff_ffff;

/** The record of a written entry: its CRC-32, its bytes in the zip, and its unpacked bytes. */
export interface WrittenEntry {
  readonly crc: number;
  readonly compressed: number;
  readonly plain: number;
}

const VERSION = 20;
const DEFLATE = 8;
/** Flags: CRC and sizes follow the data; the name is UTF-8. */
const STREAMED = 1 << 3;
const UTF8 = 1 << 11;

const LOCAL_HEADER_BYTES = 30;
const DESCRIPTOR_BYTES = 16;
const ROW_BYTES = 46;
const END_BYTES = 22;

const nameBytes = (name: string): Uint8Array => new TextEncoder().encode(name);

/** The fields of two and four bytes of a record, one after the other. */
class Fields {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(length: number) {
    this.bytes = new Uint8Array(length);
    this.#view = new DataView(this.bytes.buffer);
  }

  u16(...values: readonly number[]): this {
    for (const value of values) {
      this.#view.setUint16(this.#at, value, true);
      this.#at += 2;
    }
    return this;
  }

  u32(...values: readonly number[]): this {
    for (const value of values) {
      this.#view.setUint32(this.#at, value, true);
      this.#at += 4;
    }
    return this;
  }

  /** Completes the record with the name. */
  named(name: Uint8Array): Uint8Array {
    this.bytes.set(name, this.#at);
    return this.bytes;
  }
}

/** The fields that an entry's local header and its row share: version, flags, method, MS-DOS time and date (4.4.6) in UTC. */
function shared(fields: Fields, name: string, encoded: Uint8Array, mtime: number): Fields {
  const time = new Date(mtime);
  return fields.u16(
    VERSION,
    encoded.length === name.length ? STREAMED : STREAMED | UTF8,
    DEFLATE,
    (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1),
    ((time.getUTCFullYear() - 1980) << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate(),
  );
}

/** The record before an entry's bytes. CRC and sizes are not known yet, and follow in the descriptor. */
export function localHeader(name: string, mtime: number): Uint8Array {
  const encoded = nameBytes(name);
  const fields = new Fields(LOCAL_HEADER_BYTES + encoded.length).u32(0x04_03_4b_50);
  return shared(fields, name, encoded, mtime).u32(0, 0, 0).u16(encoded.length, 0).named(encoded);
}

/** The record after an entry's bytes. */
export const descriptor = ({ crc, compressed, plain }: WrittenEntry): Uint8Array =>
  new Fields(DESCRIPTOR_BYTES).u32(0x08_07_4b_50, crc, compressed, plain).bytes;

/** An entry's row in the directory; `at` is the offset of its local header in the zip. */
export function directoryRow(
  name: string,
  mtime: number,
  { crc, compressed, plain }: WrittenEntry,
  at: number,
): Uint8Array {
  const encoded = nameBytes(name);
  const fields = new Fields(ROW_BYTES + encoded.length).u32(0x02_01_4b_50).u16(VERSION);
  return shared(fields, name, encoded, mtime)
    .u32(crc, compressed, plain)
    .u16(encoded.length, 0, 0, 0, 0)
    .u32(0, at)
    .named(encoded);
}

/** Returns the bytes of the zip that an entry takes before the directory. */
export const entryBytes = (name: string, { compressed }: WrittenEntry): number =>
  LOCAL_HEADER_BYTES + nameBytes(name).length + compressed + DESCRIPTOR_BYTES;

/** The end of a zip: the number of entries, and the size and offset of the directory. */
export const endRecord = (entries: number, directoryBytes: number, directoryAt: number): Uint8Array =>
  new Fields(END_BYTES).u32(0x06_05_4b_50).u16(0, 0, entries, entries).u32(directoryBytes, directoryAt).bytes;
