/** Reads parts of a JPEG file's structure (ITU-T T.81, annex B) that its decoder does not report. */
import type { Size } from "@segmentation/masks";

export interface JpegFrame extends Size {
  /** The place of its header. */
  readonly at: number;
  readonly marker: number;
  /** Bits of a sample. */
  readonly precision: number;
  /** The number of blocks of 8 rows that are coded together. */
  readonly blocks: number;
}

export interface JpegStructure {
  /** Absent if the file ends before it. */
  readonly frame?: JpegFrame;
  /** True if the end of image follows the first scan. */
  readonly isWhole: boolean;
}

const EOI = 0xd9;
const SOS = 0xda;
/** Start of frame of JPEG-LS (ITU-T T.87). */
const SOF55 = 0xf7;

/** Start of frame: but C4, C8 and CC are tables and extensions. */
const isFrame = (marker: number): boolean =>
  marker === SOF55 || (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker));

/** Restart markers and stuffed zeros are part of a scan, and fill bytes belong to no marker. */
const isInScan = (marker: number): boolean =>
  marker === 0x00 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7);

/** The place of the marker that ends a scan; the file's end if there is none. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = bytes.indexOf(0xff, from);
  while (at >= 0 && isInScan(bytes[at + 1] ?? 0)) at = bytes.indexOf(0xff, at + 1);
  return at < 0 ? bytes.length : at;
}

/**
 * Walks from segment to segment. Skips an end of image within a segment, such as a thumbnail's. Undefined if a segment
 * is missing where one should be.
 */
export function readJpeg(bytes: Buffer): JpegStructure | undefined {
  let frame: JpegFrame | undefined;
  let hasScan = false;
  for (let at = 2; ;) {
    if (hasScan) at = endOfScan(bytes, at);
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1];
    if (marker === EOI || at + 4 > bytes.length)
      return { isWhole: marker === EOI && hasScan, ...(frame && { frame }) };
    if (bytes[at] !== 0xff || marker === undefined) return undefined;
    const length = bytes.readUInt16BE(at + 2);
    if (isFrame(marker) && at + 2 + length <= bytes.length) frame ??= readFrame(bytes, at, marker);
    hasScan ||= marker === SOS;
    at += 2 + length;
  }
}

function readFrame(bytes: Buffer, at: number, marker: number): JpegFrame {
  const components = bytes[at + 9] ?? 0;
  const factors = Array.from({ length: components }, (_, i) => (bytes[at + 11 + 3 * i] ?? 0) & 0x0f);
  return {
    at,
    marker,
    precision: bytes[at + 4] ?? 0,
    height: bytes.readUInt16BE(at + 5),
    width: bytes.readUInt16BE(at + 7),
    blocks: Math.max(...factors),
  };
}

/** Rows that libvips decodes at a time. It looks for warnings before each strip, so never after the last. */
const STRIP_ROWS = 8;
const MOST_ROWS = 65_500;

/**
 * Adds a strip to the JPEG if its last strip is not coded together with another, so that the decoder reports a warning
 * in that.
 */
export function withStripAdded(bytes: Buffer): Buffer {
  const { frame } = readJpeg(bytes) ?? {};
  // The decoder reads progressive frames whole before their first strip.
  if (frame === undefined || frame.blocks !== 1 || ![0xc0, 0xc1, 0xc9].includes(frame.marker)) return bytes;
  const rows = STRIP_ROWS * (Math.ceil(frame.height / STRIP_ROWS) + 1);
  if (rows > MOST_ROWS) return bytes;
  const taller = Buffer.from(bytes);
  taller.writeUInt16BE(rows, frame.at + 5);
  return taller;
}

/** The name of a JPEG file of this frame, if its kind is not supported: T.81's table B.1 has the markers. */
export function unreadJpeg({ marker, precision }: JpegFrame): string | undefined {
  if (marker === SOF55) return "JPEG-LS";
  if (marker === 0xc3 || marker === 0xcb) return "Lossless JPEG";
  if ((marker >= 0xc5 && marker <= 0xc7) || marker >= 0xcd) return "Hierarchical JPEG";
  return precision === 8 ? undefined : `${precision}-bit JPEG`;
}
