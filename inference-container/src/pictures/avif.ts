/** Reads the picture's properties from an AVIF file's header (ISO/IEC 14496-12 and 23008-12). */
import type { FileHandle } from "node:fs/promises";
import type { Size } from "@segmentation/masks";
import { boxesOf, readAt } from "../file-reads.ts";

export interface AvifProperties {
  readonly size?: Size;
  /** Color by code points (ITU-T H.273); absent if the file has a profile for the picture instead. */
  readonly code?: { readonly primaries: number; readonly transfer: number };
}

/** The most bytes of a header that is read: 4 MB with its own 8 bytes. */
const MOST_BYTES = 4_000_000 - 8;

interface Box {
  readonly type: string;
  readonly data: Buffer;
}

/** The boxes in a box, whose own fields end `skip` bytes into its data. */
function boxesIn(data: Buffer, skip = 0): Box[] {
  const boxes: Box[] = [];
  for (let at = skip; at + 8 <= data.length;) {
    const length = data.readUInt32BE(at);
    if (length < 8 || at + length > data.length) break;
    boxes.push({ type: data.toString("latin1", at + 4, at + 8), data: data.subarray(at + 8, at + length) });
    at += length;
  }
  return boxes;
}

const dataOf = (boxes: readonly Box[], type: string): Buffer | undefined =>
  boxes.find((box) => box.type === type)?.data;

/** The numbers, from 1, of the properties that an item has. */
function propertiesOf(associations: Buffer, item: number): number[] {
  const [isLong, isWide] = [(associations[0] ?? 0) > 0, ((associations[3] ?? 0) & 1) === 1];
  let at = 8;
  for (let left = associations.readUInt32BE(4); left > 0; left--) {
    const id = isLong ? associations.readUInt32BE(at) : associations.readUInt16BE(at);
    at += isLong ? 4 : 2;
    const count = associations.readUInt8(at++);
    const numbers = Array.from({ length: count }, (_, i) =>
      isWide ? associations.readUInt16BE(at + 2 * i) & 0x7fff : associations.readUInt8(at + i) & 0x7f,
    );
    if (id === item) return numbers;
    at += count * (isWide ? 2 : 1);
  }
  return [];
}

/** The properties of the file's primary picture that its header gives. */
export async function readAvif(file: FileHandle, size: number): Promise<AvifProperties> {
  for await (const { type, body, end } of boxesOf(file, size)) {
    if (type !== "meta" || end - body > MOST_BYTES || end > size) continue;
    try {
      return propertiesIn(await readAt(file, body, end - body));
    } catch (error) {
      // Fields beyond the end of their box.
      if (error instanceof RangeError) return {};
      throw error;
    }
  }
  return {};
}

function propertiesIn(meta: Buffer): AvifProperties {
  const boxes = boxesIn(meta, 4);
  const primary = dataOf(boxes, "pitm");
  const shared = boxesIn(dataOf(boxes, "iprp") ?? Buffer.alloc(0));
  const associations = dataOf(shared, "ipma");
  if (primary === undefined || associations === undefined) return {};
  const item = (primary[0] ?? 0) > 0 ? primary.readUInt32BE(4) : primary.readUInt16BE(4);
  const properties = boxesIn(dataOf(shared, "ipco") ?? Buffer.alloc(0));
  const own = propertiesOf(associations, item).flatMap((number) => properties[number - 1] ?? []);
  const extents = dataOf(own, "ispe");
  const colour = own.filter(({ type }) => type === "colr").map(({ data }) => data);
  const code = colour.find((data) => data.toString("latin1", 0, 4) === "nclx");
  return {
    ...(extents && { size: { width: extents.readUInt32BE(4), height: extents.readUInt32BE(8) } }),
    ...(code &&
      colour.length === 1 && { code: { primaries: code.readUInt16BE(4), transfer: code.readUInt16BE(6) } }),
  };
}
