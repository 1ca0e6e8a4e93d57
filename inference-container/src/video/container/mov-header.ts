import type { FileHandle } from "node:fs/promises";
import { boxesOf, type FileBox, readAt } from "../../file-reads.ts";
import type { Header, VideoTrack } from "./tracks.ts";

/** Sample entries of protected tracks: Common Encryption (ISO/IEC 23001-7), and Apple's. */
const PROTECTED = new Set(["encv", "drmi"]);

/** More tracks than any file may have; a damaged index may announce millions. */
const MOST_TRACKS = 1_000;
/** More boxes than there are kinds in one box. */
const MOST_BOXES = 1_000;

/** A track's flag that players show it (ISO/IEC 14496-12, 8.3). */
const ENABLED = 0x1;

/** a, b, c and d of a matrix (ISO/IEC 14496-12, 6.2.2): a point goes to ax + cy, bx + dy. */
type Matrix = readonly [a: number, b: number, c: number, d: number];

/** Reads the tracks of an MP4 or MOV file. */
export async function movHeader(file: FileHandle, size: number, signal: AbortSignal): Promise<Header> {
  const videos: VideoTrack[] = [];
  let [sounds, others] = [0, 0];
  let seconds: number | null = null;
  for await (const moov of boxesOf(file, size)) {
    signal.throwIfAborted();
    if (moov.type !== "moov") continue;
    const mvhd = await find(file, moov, "mvhd");
    const whole = mvhd === undefined ? UPRIGHT : await matrixAt(file, mvhd, 36);
    seconds = mvhd === undefined ? null : await secondsOf(file, mvhd);
    for await (const trak of boxesOf(file, Math.min(moov.end, size), moov.body)) {
      signal.throwIfAborted();
      if (trak.type !== "trak") continue;
      if (videos.length + sounds + others === MOST_TRACKS) break;
      const handler = await find(file, trak, "mdia", "hdlr");
      const kind = handler && (await readAt(file, handler.body + 8, 4)).toString("latin1");
      const tkhd = await find(file, trak, "tkhd");
      if (kind === "soun") sounds += 1;
      else if (kind !== "vide" || tkhd === undefined) others += 1;
      else videos.push(await videoTrack(file, trak, tkhd, whole));
    }
  }
  // A visible track comes before a hidden one.
  const ordered = videos.toSorted((a, b) => Number(b.isEnabled) - Number(a.isEnabled));
  return { videos: ordered, sounds, others, seconds };
}

async function videoTrack(
  file: FileHandle,
  trak: FileBox,
  tkhd: FileBox,
  whole: Matrix,
): Promise<VideoTrack> {
  const head = await readAt(file, tkhd.body, 24);
  const descriptions = await find(file, trak, "mdia", "minf", "stbl", "stsd");
  // A stream may begin in the clear.
  let isEncrypted = false;
  if (descriptions !== undefined)
    for await (const { type } of someBoxes(file, { ...descriptions, body: descriptions.body + 8 }))
      isEncrypted ||= PROTECTED.has(type);
  const own = await matrixAt(file, tkhd, 40);
  return {
    specifier: `i:${head.readUInt32BE(head[0] === 1 ? 20 : 12)}`,
    isEnabled: ((head[3] ?? 0) & ENABLED) !== 0,
    isEncrypted,
    hasAlphaLayer: false,
    turn: turnOf(product(own, whole)),
  };
}

/** The box at this path of types. */
async function find(
  file: FileHandle,
  within: FileBox,
  ...path: readonly string[]
): Promise<FileBox | undefined> {
  const [type, ...rest] = path;
  if (type === undefined) return within;
  for await (const box of someBoxes(file, within)) if (box.type === type) return find(file, box, ...rest);
  return undefined;
}

/** The boxes within another, as far as there can be a use for them. */
async function* someBoxes(file: FileHandle, within: FileBox): AsyncGenerator<FileBox> {
  let boxes = 0;
  for await (const box of boxesOf(file, within.end, within.body)) {
    if (boxes++ === MOST_BOXES) return;
    yield box;
  }
}

/** The length in a movie's header; null if it announces none. */
async function secondsOf(file: FileHandle, { body }: FileBox): Promise<number | null> {
  const head = await readAt(file, body, 32);
  const isLong = head[0] === 1;
  const duration = isLong ? Number(head.readBigInt64BE(24)) : head.readInt32BE(16);
  const seconds = duration / head.readUInt32BE(isLong ? 20 : 12);
  return seconds > 0 && seconds < Infinity ? seconds : null;
}

const UPRIGHT: Matrix = [1, 0, 0, 1];

/** @param offset of the matrix in the box's content, which three times of 64 bits instead of 32 move */
async function matrixAt(file: FileHandle, { body }: FileBox, offset: number): Promise<Matrix> {
  const head = await readAt(file, body, offset + 12 + 20);
  const at = offset + (head[0] === 1 ? 12 : 0);
  return [
    head.readInt32BE(at),
    head.readInt32BE(at + 4),
    head.readInt32BE(at + 12),
    head.readInt32BE(at + 16),
  ];
}

const product = ([a, b, c, d]: Matrix, [e, f, g, h]: Matrix): Matrix => [
  a * e + b * g,
  a * f + b * h,
  c * e + d * g,
  c * f + d * h,
];

/** FFmpeg's filters for a matrix of quarter turns and flips; another is ignored, as in players. */
function turnOf([a, b, c, d]: Matrix): string[] {
  if (a === 0 && d === 0 && b !== 0 && c !== 0)
    return [`transpose=${b > 0 ? (c > 0 ? "cclock_flip" : "clock") : c > 0 ? "cclock" : "clock_flip"}`];
  return b === 0 && c === 0 ? [...(a < 0 ? ["hflip"] : []), ...(d < 0 ? ["vflip"] : [])] : [];
}
