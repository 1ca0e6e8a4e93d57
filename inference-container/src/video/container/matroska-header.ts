import type { FileHandle } from "node:fs/promises";
import { readAt } from "../../file-reads.ts";
import { type Element, elementsOf, SEGMENT } from "./ebml.ts";
import type { Header, VideoTrack } from "./tracks.ts";

/** Element IDs with their markers, RFC 9559, section 5.1. */
const ID = {
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  trackType: 0x83,
  video: 0xe0,
  alphaMode: 0x53c0,
  projection: 0x7670,
  yaw: 0x7673,
  roll: 0x7675,
  encodings: 0x6d80,
  encoding: 0x6240,
  encryption: 0x5035,
  cluster: 0x1f43b675,
} as const;

const FLOATS = new Set<number>([ID.duration, ID.yaw, ID.roll]);

const PICTURE = 1;
const SOUND = 2;
/** More tracks, and more elements in a track, than any file has. */
const MOST_TRACKS = 1_000;
const MOST_ELEMENTS = 1_000;
/** Nanoseconds per unit of the duration, unless the file says otherwise. */
const USUAL_SCALE = 1_000_000;

/** Reads the tracks of a Matroska or WebM file, and its length, from before its first frames. */
export async function matroskaHeader(file: FileHandle, size: number, signal: AbortSignal): Promise<Header> {
  const videos: VideoTrack[] = [];
  let [sounds, others] = [0, 0];
  let seconds: number | null = null;
  const segment = await first(file, { id: 0, body: 0, end: size }, SEGMENT);
  if (segment === undefined) return { videos, sounds, others, seconds };
  for await (const element of elementsOf(file, Math.min(segment.end, size), segment.body)) {
    signal.throwIfAborted();
    if (element.id === ID.cluster) break;
    if (element.id === ID.info) {
      const [duration, scale] = [
        await number(file, element, ID.duration),
        await number(file, element, ID.timestampScale),
      ];
      seconds = duration > 0 ? (duration * (scale || USUAL_SCALE)) / 1e9 : null;
    }
    if (element.id !== ID.tracks) continue;
    for await (const track of elementsOf(file, Math.min(element.end, size), element.body)) {
      signal.throwIfAborted();
      if (videos.length + sounds + others === MOST_TRACKS) break;
      const type = await number(file, track, ID.trackType);
      if (type === PICTURE) videos.push(await videoTrack(file, track, videos.length));
      else if (type === SOUND) sounds += 1;
      else others += 1;
    }
  }
  return { videos, sounds, others, seconds };
}

async function videoTrack(file: FileHandle, track: Element, place: number): Promise<VideoTrack> {
  const yaw = await number(file, track, ID.video, ID.projection, ID.yaw);
  const roll = await number(file, track, ID.video, ID.projection, ID.roll);
  return {
    specifier: `V:${place}`,
    isEnabled: true,
    isEncrypted: (await first(file, track, ID.encodings, ID.encoding, ID.encryption)) !== undefined,
    hasAlphaLayer: (await number(file, track, ID.video, ID.alphaMode)) === 1,
    turn: turnOf(roll, Math.abs(yaw) === 180),
  };
}

/** FFmpeg's filters for a flat projection: it is mirrored, then turned counterclockwise by `roll` degrees. */
function turnOf(roll: number, isMirrored: boolean): string[] {
  const quarters = (((roll / 90) % 4) + 4) % 4;
  const turn = [[], ["transpose=cclock"], ["hflip", "vflip"], ["transpose=clock"]][quarters] ?? [];
  return [...(isMirrored ? ["hflip"] : []), ...turn];
}

/** The element at this path of IDs. */
async function first(
  file: FileHandle,
  within: Element,
  ...path: readonly number[]
): Promise<Element | undefined> {
  const [id, ...rest] = path;
  if (id === undefined) return within;
  let elements = 0;
  for await (const element of elementsOf(file, within.end, within.body)) {
    const found = element.id === id ? await first(file, element, ...rest) : undefined;
    if (found !== undefined || elements++ === MOST_ELEMENTS) return found;
  }
  return undefined;
}

/** The number at this path of IDs, whole or a float; 0 if there is none. */
async function number(file: FileHandle, within: Element, ...path: readonly number[]): Promise<number> {
  const element = await first(file, within, ...path);
  const length = element === undefined ? 0 : element.end - element.body;
  if (element === undefined || length < 1 || length > 8) return 0;
  const isFloat = path.some((id) => FLOATS.has(id));
  const bytes = await readAt(file, element.body, length);
  if (!isFloat) return Number(BigInt(`0x${bytes.toString("hex")}`));
  return length === 4 ? bytes.readFloatBE(0) : length === 8 ? bytes.readDoubleBE(0) : 0;
}
