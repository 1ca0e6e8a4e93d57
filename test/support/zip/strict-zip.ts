/**
 * A reader of zip archives that refuses anything irregular, where a tool would read on. It follows APPNOTE.TXT for entries
 * of the methods "stored" and "deflate", without encryption and without the 64-bit extension.
 */
import { crc32, inflateRawSync } from "node:zlib";
import { fail, unequal, ZipBytes } from "./zip-bytes.ts";

const LOCAL_HEADER = 0x04_03_4b_50;
const DESCRIPTOR = 0x08_07_4b_50;
const CENTRAL_HEADER = 0x02_01_4b_50;
const END = 0x06_05_4b_50;
const END_BYTES = 22;

const STORED = 0;
const DEFLATE = 8;
/** Flag bits: the deflater's effort; sizes and CRC follow the data; names are UTF-8. */
const EFFORT = 0b110;
const STREAMED = 1 << 3;
const UTF8 = 1 << 11;

/** The common fields of an entry's local header and its directory record. */
interface Shared {
  readonly version: number;
  readonly flags: number;
  readonly method: number;
  readonly time: number;
  readonly date: number;
}

/** The known sizes of an entry. */
interface Sizes {
  readonly crc: number;
  readonly compressed: number;
  readonly plain: number;
}

interface Row {
  readonly shared: Shared;
  readonly sizes: Sizes;
  readonly name: string;
  readonly localHeaderAt: number;
}

/**
 * Reads a whole archive and returns its files by name, in the directory's order. Every byte has to belong to exactly one header,
 * file or descriptor, and every occurrence of a size or CRC-32 has to be right.
 *
 * @throws Error that names the first problem
 */
export function readStrictly(archive: Uint8Array): Map<string, Buffer> {
  const { rows, directoryAt } = readDirectory(archive);
  const bytes = new ZipBytes(archive, 0);
  const files = new Map<string, Buffer>();
  for (const row of rows) {
    if (files.has(row.name)) fail(`${row.name} is there twice`);
    unequal(`where ${row.name} begins`, row.localHeaderAt, bytes.at);
    files.set(row.name, readEntry(bytes, row));
  }
  unequal("where the directory begins", directoryAt, bytes.at);
  return files;
}

function readDirectory(archive: Uint8Array): { rows: Row[]; directoryAt: number } {
  if (archive.length < END_BYTES) fail("no room for an end record");
  const endAt = archive.length - END_BYTES;
  const end = new ZipBytes(archive, endAt);
  end.expect("the end record's signature, at the end of the file", END);
  unequal("the disk's number", end.u16(), 0);
  unequal("the directory's disk", end.u16(), 0);
  const count = end.u16();
  unequal("the number of entries in all", end.u16(), count);
  const [size, directoryAt] = [end.u32(), end.u32()];
  unequal("the comment's length", end.u16(), 0);
  unequal("where the directory ends", directoryAt + size, endAt);
  const bytes = new ZipBytes(archive, directoryAt);
  const rows = Array.from({ length: count }, () => readRow(bytes));
  unequal("where the directory's last row ends", bytes.at, endAt);
  return { rows, directoryAt };
}

function readRow(bytes: ZipBytes): Row {
  bytes.expect("a directory row's signature", CENTRAL_HEADER);
  bytes.u16(); // The version of the writing program does not matter to a reader.
  const shared = readShared(bytes);
  const sizes = readSizes(bytes);
  const [nameLength, extraLength, commentLength] = [bytes.u16(), bytes.u16(), bytes.u16()];
  unequal("an entry's disk", bytes.u16(), 0);
  bytes.u16(); // The flag for text files,
  bytes.u32(); // and the attributes in the writer's file system.
  const localHeaderAt = bytes.u32();
  const name = nameIn(bytes.take(nameLength), shared.flags);
  unequal(`extra fields of ${name}`, extraLength, 0);
  unequal(`the comment's length of ${name}`, commentLength, 0);
  return { shared, sizes, name, localHeaderAt };
}

function readEntry(bytes: ZipBytes, { shared, sizes, name }: Row): Buffer {
  bytes.expect(`the local header's signature of ${name}`, LOCAL_HEADER);
  unequalFields(name, readShared(bytes), shared);
  const isStreamed = (shared.flags & STREAMED) !== 0;
  unequalFields(name, readSizes(bytes), isStreamed ? { crc: 0, compressed: 0, plain: 0 } : sizes);
  const [nameLength, extraLength] = [bytes.u16(), bytes.u16()];
  unequal("the name in a local header", nameIn(bytes.take(nameLength), shared.flags), name);
  unequal(`extra fields of ${name}`, extraLength, 0);
  const data = bytes.take(sizes.compressed);
  if (isStreamed) {
    bytes.expect(`the descriptor's signature of ${name}`, DESCRIPTOR);
    unequalFields(name, readSizes(bytes), sizes);
  }
  const plain = shared.method === STORED ? Buffer.from(data) : inflate(data, sizes.plain, name);
  unequal(`the size of ${name}`, plain.length, sizes.plain);
  unequal(`the CRC-32 of ${name}`, crc32(plain), sizes.crc);
  return plain;
}

/** Inflates data; the deflate stream has to take every byte. */
function inflate(data: Uint8Array, size: number, name: string): Buffer {
  const endsWithin = (part: Uint8Array): boolean => {
    try {
      inflateRawSync(part);
      return true;
    } catch {
      return false;
    }
  };
  if (endsWithin(data.subarray(0, -1))) fail(`the deflate stream of ${name} ends before its data`);
  try {
    return inflateRawSync(data, { maxOutputLength: Math.max(1, size) });
  } catch (error) {
    return fail(`the deflate stream of ${name} can't be read (${String(error)})`);
  }
}

function readShared(bytes: ZipBytes): Shared {
  const [version, flags, method] = [bytes.u16(), bytes.u16(), bytes.u16()];
  if (version > 20) fail(`an entry needs version ${version}`);
  if ((flags & ~(EFFORT | STREAMED | UTF8)) !== 0) fail(`an entry has the flags ${flags}`);
  if (method !== STORED && method !== DEFLATE) fail(`an entry has the method ${method}`);
  if (method === STORED && (flags & STREAMED) !== 0) fail("a stored entry's end can't be found");
  return { version, flags, method, time: bytes.u16(), date: bytes.u16() };
}

const readSizes = (bytes: ZipBytes): Sizes => ({
  crc: bytes.u32(),
  compressed: bytes.u32(),
  plain: bytes.u32(),
});

function unequalFields<T extends object>(name: string, found: T, expected: T): void {
  for (const [field, value] of Object.entries(found))
    unequal(`${field} of ${name}`, value, Object.entries(expected).find(([key]) => key === field)?.[1]);
}

/** Returns an entry's name, which must be inside the folder that the archive is unpacked into. */
function nameIn(bytes: Uint8Array, flags: number): string {
  const name = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  if (name.length !== bytes.length && (flags & UTF8) === 0) fail(`${name} is not marked as UTF-8`);
  const isBelow = name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
  if (!isBelow || name.includes("\\") || name.includes("\0")) fail(`"${name}" is no name of a file`);
  return name;
}
