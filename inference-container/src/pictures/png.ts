/** Reads a PNG file's chunks (the PNG specification, third edition), which its decoder leaves out. */
import { type FileHandle, readFile } from "node:fs/promises";
import { pagedReader } from "../file-reads.ts";

interface Chunk {
  readonly type: string;
  /** The place of its length, which its type, its data and a checksum follow. */
  readonly at: number;
  readonly dataBytes: number;
}

export interface PngChunks {
  /** Of each type the first, except the pixels' own. */
  readonly chunks: ReadonlyMap<string, Chunk>;
  /** The place of the first pixels; Infinity if there are none. */
  readonly pixelsAt: number;
  /** True if the file is complete. */
  readonly isWhole: boolean;
}

const SIGNATURE_BYTES = 8;
/** The length, the type and the checksum. */
const AROUND_BYTES = 12;
/** A file of more chunks has them for no good reason. */
const MOST_CHUNKS = 100_000;

/** The chunks up to the end of the picture or of the file. */
export async function readChunks(file: FileHandle, size: number): Promise<PngChunks> {
  const read = pagedReader(file);
  const chunks = new Map<string, Chunk>();
  let pixelsAt = Infinity;
  for (let at = SIGNATURE_BYTES, i = 0; at + AROUND_BYTES <= size && i < MOST_CHUNKS; i++) {
    const head = await read(at, 8);
    const [dataBytes, type] = [head.readUInt32BE(0), head.toString("latin1", 4, 8)];
    const end = at + AROUND_BYTES + dataBytes;
    if (type === "IDAT") pixelsAt = Math.min(pixelsAt, at);
    else if (end <= size && !chunks.has(type)) chunks.set(type, { type, at, dataBytes });
    if (type === "IEND") return { chunks, pixelsAt, isWhole: true };
    at = end;
  }
  return { chunks, pixelsAt, isWhole: false };
}

/**
 * The file with the EXIF data before the pixels, where its decoder expects it; undefined if it is there already. PNG
 * allows it anywhere.
 */
export async function withExifFirst(
  path: string,
  { chunks, pixelsAt }: PngChunks,
): Promise<Buffer | undefined> {
  const exif = chunks.get("eXIf");
  if (exif === undefined || exif.at < pixelsAt) return undefined;
  const bytes = await readFile(path);
  const end = exif.at + AROUND_BYTES + exif.dataBytes;
  return Buffer.concat([
    bytes.subarray(0, pixelsAt),
    bytes.subarray(exif.at, end),
    bytes.subarray(pixelsAt, exif.at),
    bytes.subarray(end),
  ]);
}
