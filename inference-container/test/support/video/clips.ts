import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { findFfmpeg } from "../../../src/video/ffmpeg.ts";
import type { Frame } from "../../../src/video/frames.ts";

export const ffmpeg = findFfmpeg(process.env);

/** VP8 at this bit rate, whose encoder may add frames that are never shown. */
export const vp8 = (rate: string): string[] => [
  "-c:v",
  "libvpx",
  "-auto-alt-ref",
  "1",
  "-lag-in-frames",
  "16",
  "-cpu-used",
  "5",
  "-b:v",
  rate,
];

/** The number of frames of `manyReferences`. */
export const REFERENCE_FRAMES = 24;

/** FFmpeg's arguments for a plain video in H.264, 4:4:4 with 10 bits, whose frames refer to this many before them. */
export const manyReferences = (size: string, references: number): string[] =>
  [
    ["-f", "lavfi", "-i", `color=c=gray:s=${size}:r=25:d=${REFERENCE_FRAMES / 25},format=yuv444p10le`],
    ["-c:v", "libx264", "-preset", "ultrafast", "-refs", String(references)],
    ["-x264-params", `ref=${references}:keyint=100:bframes=0:rc-lookahead=0:sync-lookahead=0:threads=2`],
  ].flat();

/** A folder for the videos of one test file. */
export interface ClipFolder {
  path(name: string): string;
  /** Runs FFmpeg quietly in the folder, and returns the path of its last argument. */
  make(...args: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

export async function clipFolder(): Promise<ClipFolder> {
  const folder = await mkdtemp(join(tmpdir(), "clips-"));
  const path = (name: string): string => join(folder, name);
  return {
    path,
    make: async (...args) => {
      await runFfmpeg(["-y", ...args], folder);
      return path(args.at(-1) ?? "");
    },
    remove: () => rm(folder, { recursive: true }),
  };
}

/** @returns FFmpeg's standard output */
export async function runFfmpeg(args: readonly string[], cwd: string = tmpdir()): Promise<string> {
  const quiet = ["-nostdin", "-hide_banner", "-loglevel", "error"];
  const run = await promisify(execFile)(ffmpeg, [...quiet, ...args], { cwd, maxBuffer: 1 << 28 });
  return run.stdout;
}

interface Numbered {
  readonly size?: string;
  readonly frames?: number;
  /** FFmpeg's filters after those that make the picture. */
  readonly filters?: string;
}

/**
 * FFmpeg's arguments for an input of 25 frames per second. A frame's gray encodes its number (see `numberOf`); its
 * corners show which way up it is: red, green, blue and white from the upper left on, row by row.
 */
export function numbered({ size = "320x240", frames = 25, filters = "null" }: Numbered = {}): string[] {
  const corner = (x: string, y: string, colour: string): string =>
    `drawbox=x=${x}:y=${y}:w=iw/4:h=ih/4:color=${colour}:t=fill`;
  const picture = [
    // The expression is evaluated for each pixel, so there are few of them at first.
    `color=c=gray:s=16x16:r=25:d=${frames / 25},format=yuv444p`,
    "geq=lum='40+4*mod(N,40)':cb=128:cr=128",
    `scale=${size.replace("x", ":")}:flags=neighbor,setsar=1`,
    corner("0", "0", "red"),
    corner("iw-iw/4", "0", "lime"),
    corner("0", "ih-ih/4", "blue"),
    corner("iw-iw/4", "ih-ih/4", "white"),
    filters,
  ];
  return ["-f", "lavfi", "-i", picture.join(",")];
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Red, green and blue at a place given as shares of the sides. */
export function colourAt(
  { rgb }: Pick<Frame, "rgb">,
  { width, height }: Size,
  x: number,
  y: number,
): number[] {
  const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 3;
  return [...rgb.subarray(at, at + 3)];
}

/** The number that a frame of `numbered` shows, up to 40: limited range, 219 steps from black to white. */
export function numberOf(frame: Pick<Frame, "rgb">, size: Size): number {
  const places = Array.from(
    { length: 81 },
    (_, at) => [0.4 + (at % 9) / 40, 0.4 + Math.floor(at / 9) / 40] as const,
  );
  const greys = places.map(([x, y]) => colourAt(frame, size, x, y)[1] ?? 0);
  const grey = greys.reduce((sum, value) => sum + value, 0) / greys.length;
  return Math.max(Math.round(((grey * 219) / 255 + 16 - 40) / 4), 0);
}

const NAMES = [
  ["red", [255, 0, 0]],
  ["green", [0, 255, 0]],
  ["blue", [0, 0, 255]],
  ["white", [255, 255, 255]],
] as const;

/** The colors of a frame's corners by name, row by row; `?` for none of the four, with a tolerance of 12 steps. */
export function corners(frame: Pick<Frame, "rgb">, size: Size): string {
  const places = [
    [0.1, 0.1],
    [0.9, 0.1],
    [0.1, 0.9],
    [0.9, 0.9],
  ] as const;
  return places
    .map(([x, y]) => {
      const seen = colourAt(frame, size, x, y);
      const near = NAMES.find(([, wanted]) =>
        wanted.every((value, at) => Math.abs(value - (seen[at] ?? 0)) <= 12),
      );
      return near?.[0] ?? `?(${seen.join()})`;
    })
    .join(" ");
}

/** The times in seconds at which FFmpeg shows a video's frames when it decodes all of it. @param track as FFmpeg specifies streams */
export async function shownTimes(path: string, track = "V:0"): Promise<number[]> {
  const filters = "settb=1/100000,metadata=add:key=k:value=1,metadata=print:file=-";
  const listing = await runFfmpeg([
    "-copyts",
    "-i",
    path,
    "-map",
    `0:${track}`,
    "-vf",
    filters,
    "-fps_mode",
    "passthrough",
    "-f",
    "null",
    "-",
  ]);
  return [...listing.matchAll(/ pts:(-?\d+)/g)].map(([, pts]) => Number(pts) / 100_000);
}

/** The position of a packet in a file, in bytes: FFmpeg's muxer for picture series writes each into its own file. */
export async function positionOfPacket(
  clips: ClipFolder,
  path: string,
  index: number,
): Promise<{ position: number; size: number }> {
  await clips.make("-i", path, "-c", "copy", "-f", "image2", "-start_number", "0", "packet-%d");
  const packet = await readFile(clips.path(`packet-${index}`));
  const position = (await readFile(path)).indexOf(packet);
  if (position <= 0) throw new Error(`${path} has no packet ${index}.`);
  return { position, size: packet.length };
}
