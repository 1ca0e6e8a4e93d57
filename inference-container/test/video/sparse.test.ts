import { chmod, readFile, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Clip, workingSize } from "../../src/video/clip.ts";
import { type Frame, readFrames } from "../../src/video/frames.ts";
import { probeClip } from "../../src/video/probe.ts";
import { planSamples } from "../../src/video/choose-frames.ts";
import { isLong } from "../support/form.ts";
import { clipFolder, type ClipFolder, ffmpeg, positionOfPacket, vp8 } from "../support/video/clips.ts";

const { signal } = new AbortController();
let clips: ClipFolder;
/** The path of an FFmpeg that also writes the announcements of frames to a file. */
let announcing = "";

beforeAll(async () => {
  clips = await clipFolder();
  announcing = clips.path("announcing");
  await writeFile(
    announcing,
    `#!/bin/bash\nexec '${ffmpeg}' "$@" 3> >(tee -a '${clips.path("announced")}' >&3)\n`,
  );
  await chmod(announcing, 0o755);
});
afterAll(() => clips.remove());
beforeEach(() => writeFile(clips.path("announced"), ""));

const probe = (path: string): Promise<Clip> =>
  probeClip(ffmpeg, path, { inputPixels: 1e6, seconds: 7_300 }, signal);

async function read(clip: Clip, indexes: readonly number[]): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of readFrames(announcing, clip, indexes, workingSize(clip), signal))
    frames.push(frame);
  return frames;
}

/** The number of frames decoded since the test began. */
async function decodedFrames(): Promise<number> {
  return (await readFile(clips.path("announced"), "utf8")).match(/^decoded=1$/gm)?.length ?? 0;
}

/** FFmpeg's arguments for an input of 64 × 36 in which each frame looks different. */
const source = (seconds: number, fps = 5): string[] => [
  "-f",
  "lavfi",
  "-i",
  `testsrc2=s=64x36:r=${fps}:d=${seconds}`,
];
const h264 = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"];
const GROUP = 60;

test.runIf(isLong)("ten frames of two hours cost as many decoded frames as ten of ten minutes", async () => {
  const costs = [];
  for (const seconds of [600, 7_200]) {
    const path = await clips.make(...source(seconds, 1), ...h264, "-g", `${GROUP}`, `${seconds}.mp4`);
    const clip = await probe(path);
    expect(clip.times).toHaveLength(seconds);
    const { indexes } = planSamples(clip.times, { fps: null, numFrames: 10, maxFrames: null }, 100);
    expect((await read(clip, indexes)).map(({ frameIdx }) => frameIdx)).toEqual(indexes);
    costs.push(await decodedFrames());
    await writeFile(clips.path("announced"), "");
  }
  // At most a group of pictures each, and the frames that four decoder threads have begun by then.
  for (const cost of costs) expect(cost).toBeLessThan(10 * (GROUP + 30));
});

/** Makes 600 frames at 25 per second, unless it says otherwise. */
type Case = readonly [title: string, make: () => Promise<string>];

const made =
  (...args: readonly string[]) =>
  (): Promise<string> =>
    clips.make(...source(24, 25), "-g", "50", "-pix_fmt", "yuv420p", ...args);

/** A video of H.264 with B-frames, changed without encoding it again. */
const remade = (before: readonly string[], after: readonly string[]) => async (): Promise<string> => {
  const name = `plain-of-${after.at(-1) ?? ""}`;
  await made("-c:v", "libx264", "-preset", "veryfast", "-bf", "2", name)();
  return clips.make(...before, "-i", name, "-c", "copy", ...after);
};

const x264 = ["-c:v", "libx264", "-preset", "veryfast", "-bf", "3"];
// SVT-AV1 takes no fewer than 64 lines.
const av1 = ["-vf", "scale=112:64", "-c:v", "libsvtav1", "-preset", "12"];
const uneven = "settb=1/1000,setpts='40*N+if(gt(N,200),7*(N-200),0)+if(gt(N,400),20000,0)'";

/** Videos whose frames are decoded from their key frames. */
const fromKeys: readonly Case[] = [
  ["H.264 with B-frames in MP4", made(...x264, "h264.mp4")],
  ["H.264 with B-frames in MKV", made(...x264, "h264.mkv")],
  ["H.264 with open groups", made(...x264, "-x264-params", "open-gop=1:scenecut=0", "open.mp4")],
  ["H.264 with open groups in MKV", made(...x264, "-x264-params", "open-gop=1:scenecut=0", "open.mkv")],
  ["H.265 with open groups", made("-c:v", "libx265", "-preset", "ultrafast", "-tag:v", "hvc1", "h265.mov")],
  ["H.265 with open groups in MKV", made("-c:v", "libx265", "-preset", "ultrafast", "h265.mkv")],
  ["VP9", made("-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "vp9.webm")],
  ["AV1 in MKV", made(...av1, "av1.mkv")],
  ["AV1 in MP4", made(...av1, "av1.mp4")],
  ["MPEG-4 in AVI", made("-c:v", "mpeg4", "mpeg4.avi")],
  ["MPEG-4 with B-frames in MP4", made("-c:v", "mpeg4", "-bf", "2", "mpeg4.mp4")],
  ["Motion JPEG", made("-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "mjpeg.avi")],
  ["ProRes", made("-c:v", "prores", "-pix_fmt", "yuv422p10le", "prores.mov")],
  ["ten bits a colour", made(...x264, "-pix_fmt", "yuv420p10le", "ten-bits.mp4")],
  ["groups of three frames", made(...x264, "-g", "3", "short.mp4")],
  ["groups of five seconds", made(...x264, "-g", "125", "-sc_threshold", "0", "long.mp4")],
  ["a display turned by 90°", remade(["-display_rotation", "90"], ["turned.mp4"])],
  ["an edit list that cuts the beginning away", remade(["-ss", "5.3"], ["edited.mp4"])],
  ["an edit list that cuts away the middle of a group", remade(["-ss", "1.1", "-t", "20"], ["cut.mov"])],
  [
    "sound that begins a second earlier",
    async () => {
      await made(...x264, "silent.mp4")();
      const tone = ["-f", "lavfi", "-i", "sine=d=25", "-itsoffset", "1", "-i", "silent.mp4"];
      return clips.make(...tone, "-map", "0", "-map", "1", "-c:v", "copy", "late.mp4");
    },
  ],
  ["a first time far from 0", remade([], ["-output_ts_offset", "3600", "offset.mkv"])],
  [
    "a variable rate in MP4",
    made("-vf", uneven, ...x264, "-fps_mode", "passthrough", "-enc_time_base", "1:1000", "uneven.mp4"),
  ],
  [
    "a variable rate in MKV",
    made("-vf", uneven, ...x264, "-fps_mode", "passthrough", "-enc_time_base", "1:1000", "uneven.mkv"),
  ],
  ["fragments", made(...x264, "-movflags", "frag_keyframe+empty_moov+skip_trailer", "fragments.mp4")],
  ["VP8 with hidden frames", made(...vp8("100k"), "vp8.webm")],
  ["its index in front", remade([], ["-movflags", "faststart", "index.mp4"])],
];

/** A video of which some bytes are changed. */
const spoilt =
  (name: string, args: readonly string[], spoil: (bytes: Buffer, path: string) => unknown) =>
  async (): Promise<string> => {
    const path = await made(...args, name)();
    const bytes = await readFile(path);
    await spoil(bytes, path);
    await writeFile(clips.path(`spoilt-${name}`), bytes);
    return clips.path(`spoilt-${name}`);
  };

/** Writes over a text that must be there. */
function overwrite(bytes: Buffer, text: string, other: string): void {
  const at = bytes.indexOf(text, 0, "latin1");
  expect(at).toBeGreaterThanOrEqual(0);
  bytes.write(other, at, "latin1");
}

/** Moves each entry of an MP4's table of key frames (ISO/IEC 14496-12, 8.6.2) to the frame after. */
function moveKeys(bytes: Buffer): void {
  const table = bytes.indexOf("stss", 0, "latin1");
  const count = bytes.readUInt32BE(table + 8);
  expect(count).toBeGreaterThan(5);
  for (let at = table + 12; at < table + 12 + 4 * count; at += 4)
    bytes.writeUInt32BE(bytes.readUInt32BE(at) + 1, at);
}

/** Changes bytes in the middle of a key frame that a wanted frame needs. */
async function damageKey(bytes: Buffer, path: string): Promise<void> {
  const { position, size } = await positionOfPacket(clips, path, 300);
  expect(size).toBeGreaterThan(200);
  for (let at = position + (size >> 1); at < position + size; at++) bytes[at] = (bytes[at] ?? 0) ^ 0xa5;
}

const flat = [...x264, "-x264-params", "scenecut=0"];
const CUES = "\x1c\x53\xbb\x6b";

/** Videos that are decoded from the start up to the wanted frames, because the file lacks something or is wrong. */
const fromTheStart: readonly Case[] = [
  ["frames without times", made(...x264, "untimed.avi")],
  ["pictures refreshed part by part", made(...x264, "-x264-params", "intra-refresh=1", "refreshed.mp4")],
  ["a live recording without an index", made(...x264, "-live", "1", "live.mkv")],
  ["no table of key frames", spoilt("all-keys.mp4", flat, (bytes) => overwrite(bytes, "stss", "free"))],
  ["key frames that are none", spoilt("keys.mp4", ["-c:v", "mpeg4"], moveKeys)],
  ["a damaged key frame", spoilt("damaged.mp4", flat, damageKey)],
  [
    "a damaged index of an AVI",
    spoilt("index.avi", ["-c:v", "mpeg4"], (bytes) => overwrite(bytes, "idx1", "xxxx")),
  ],
  [
    "a damaged index of an MKV",
    spoilt("index.mkv", flat, (bytes) =>
      bytes.write("xxxx", bytes.lastIndexOf(CUES, undefined, "latin1"), "latin1"),
    ),
  ],
];

/** One of each container and kind of codec, and one of each fault: they represent the others. */
const SHORT: ReadonlySet<string> = new Set([
  "H.264 with B-frames in MP4",
  "H.264 with open groups in MKV",
  "H.265 with open groups in MKV",
  "VP9",
  "MPEG-4 in AVI",
  "an edit list that cuts away the middle of a group",
  "VP8 with hidden frames",
  "frames without times",
  "a live recording without an index",
  "no table of key frames",
  "key frames that are none",
  "a damaged key frame",
]);
const inForm = (cases: readonly Case[]): readonly Case[] =>
  isLong ? cases : cases.filter(([title]) => SHORT.has(title));

const WANTED = [3, 155, 156, 300, 302, 449, 590];

async function compared(make: () => Promise<string>): Promise<{ sought: number; whole: number }> {
  const clip = await probe(await make());
  const wanted = WANTED.filter((index) => index < clip.times.length);
  const frames = await read(clip, wanted);
  const sought = await decodedFrames();
  const whole = await read({ ...clip, keys: [] }, wanted);
  expect(frames.map(({ sampleIdx, frameIdx, timeSec }) => [sampleIdx, frameIdx, timeSec])).toEqual(
    whole.map(({ sampleIdx, frameIdx, timeSec }) => [sampleIdx, frameIdx, timeSec]),
  );
  expect(frames.map(({ frameIdx }) => frameIdx)).toEqual(wanted);
  for (const [at, { rgb }] of frames.entries())
    expect(Buffer.compare(rgb, whole[at]?.rgb ?? rgb.slice(1))).toBe(0);
  return { sought, whole: (await decodedFrames()) - sought };
}

describe("frames far apart are byte for byte those of a whole decode, and fewer are decoded", () => {
  test.for(inForm(fromKeys))("%s", async ([, make]) => {
    const cost = await compared(make);
    expect(cost.sought).toBeLessThan(cost.whole);
  });
});

describe("all frames are decoded if seeking could return others, and none more than twice", () => {
  test.for(inForm(fromTheStart))("%s", async ([, make]) => {
    const cost = await compared(make);
    expect(cost.sought).toBeGreaterThanOrEqual(cost.whole);
    expect(cost.sought).toBeLessThan(2 * cost.whole);
  });
});
