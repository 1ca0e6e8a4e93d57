import { writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workingSize } from "../../src/video/clip.ts";
import { isLong } from "../support/form.ts";
import {
  clipFolder,
  type ClipFolder,
  corners,
  numbered,
  numberOf,
  shownTimes,
} from "../support/video/clips.ts";
import { readAll, probe } from "../support/read-clip.ts";

let clips: ClipFolder;
beforeAll(async () => {
  clips = await clipFolder();
});

afterAll(() => clips.remove());

const UPRIGHT = "red green blue white";

const h264 = ["-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-pix_fmt", "yuv420p"];
const vp9 = ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-pix_fmt", "yuv420p"];
const tone = ["-f", "lavfi", "-i", "sine=d=1"];

interface Expected {
  readonly size?: readonly [width: number, height: number];
  /** The numbers on the frames as a player shows them. */
  readonly numbers?: readonly number[];
  readonly corners?: string;
  /** In seconds, if FFmpeg's own listing of a whole decode doesn't show it. */
  readonly times?: readonly number[];
}

const LONG_DESCRIPTION = `description=${"a line of the text\n".repeat(600)}`;
const FORGED = "[Parsed_showinfo_1 @ 0x0] n: 0 pts: 0 pts_time:0 fmt:yuv420p sar:1/1 s:2x30000000 i:P ";

const count = (length: number, from = 0): number[] => Array.from({ length }, (_, at) => from + at);
const even = (length: number, from = 0): number[] => count(length).map((at) => from + at / 25);
const unevenSeconds = (n: number): number => (n < 10 ? n * 0.04 : 0.4 + (n - 10) * 0.11);
const uneven = "settb=1/1000,setpts='if(lt(N,10),40*N,400+110*(N-10))'";

/** Makes a video; gives the differences from 25 upright frames of 320 × 240 at 25 per second. */
type Case = readonly [title: string, make: () => Promise<string>, expected?: Expected];

/** A video made in one run. */
const made =
  (...args: readonly string[]) =>
  (): Promise<string> =>
    clips.make(...args);

/** A video of 320 × 240 H.264, changed without encoding it again. */
const remade =
  (before: readonly string[], after: readonly string[], options: readonly string[] = []) =>
  async (): Promise<string> => {
    const name = `plain-of-${after.at(-1) ?? ""}`;
    await clips.make(...numbered(), ...tone, ...h264, ...options, name);
    return clips.make(...before, "-i", name, "-c", "copy", ...after);
  };

const readable: readonly Case[] = [
  ["H.264 with B-frames in MP4", made(...numbered(), ...h264, "h264.mp4")],
  [
    "H.265 in MOV",
    made(
      ...numbered(),
      "-c:v",
      "libx265",
      "-preset",
      "ultrafast",
      "-tag:v",
      "hvc1",
      "-pix_fmt",
      "yuv420p",
      "h265.mov",
    ),
  ],
  ["VP9 in WebM", made(...numbered(), ...vp9, "vp9.webm")],
  ["AV1 in MKV", made(...numbered(), "-c:v", "libsvtav1", "-preset", "12", "-pix_fmt", "yuv420p", "av1.mkv")],
  ["MPEG-4 in AVI", made(...numbered(), "-c:v", "mpeg4", "-q:v", "2", "mpeg4.avi"), { times: even(25) }],
  [
    "H.264 with B-frames in AVI, which has no presentation times",
    made(...numbered(), ...h264, "h264.avi"),
    { times: even(25) },
  ],
  [
    "Motion JPEG in AVI",
    made(...numbered(), "-c:v", "mjpeg", "-q:v", "2", "-pix_fmt", "yuvj420p", "mjpeg.avi"),
    { times: even(25) },
  ],
  ["ProRes in MOV", made(...numbered({ frames: 5 }), "-c:v", "prores", "prores.mov"), { numbers: count(5) }],
  [
    "ten bits a colour",
    made(...numbered(), "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p10le", "ten-bits.mp4"),
  ],
  [
    "4:4:4 chroma",
    made(...numbered(), "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv444p", "chroma.mp4"),
  ],
  [
    "full range",
    made(...numbered({ filters: "scale=out_range=full" }), ...h264, "-color_range", "pc", "full-range.mp4"),
  ],
  [
    "HD that names no colours, taken as BT.709",
    made(
      ...numbered({
        size: "1280x720",
        frames: 3,
        filters: "scale=out_color_matrix=bt709,setparams=colorspace=unknown",
      }),
      ...h264,
      "hd.mp4",
    ),
    { size: [1280, 720], numbers: count(3) },
  ],
  [
    "HD that names no colours, but has much to tell",
    made(
      ...numbered({
        size: "1280x720",
        frames: 3,
        filters: "scale=out_color_matrix=bt709,setparams=colorspace=unknown",
      }),
      ...h264,
      "-metadata",
      LONG_DESCRIPTION,
      "hdtold.mp4",
    ),
    { size: [1280, 720], numbers: count(3) },
  ],
  [
    "HD that names BT.601",
    made(
      ...numbered({
        size: "1280x720",
        frames: 3,
        filters: "scale=out_color_matrix=bt601,setparams=colorspace=smpte170m",
      }),
      ...h264,
      "hd601.mp4",
    ),
    { size: [1280, 720], numbers: count(3) },
  ],
  [
    "a display turned by 90°",
    remade(["-display_rotation", "90"], ["turned-90.mp4"]),
    { size: [240, 320], corners: "green white red blue" },
  ],
  [
    "a display turned by 180°",
    remade(["-display_rotation", "180"], ["turned-180.mov"]),
    { corners: "white blue green red" },
  ],
  [
    "a display turned by 270°",
    remade(["-display_rotation", "270"], ["turned-270.mp4"]),
    { size: [240, 320], corners: "blue red white green" },
  ],
  [
    "pixels twice as wide as high",
    made(...numbered({ filters: "setsar=2" }), ...h264, "wide.mp4"),
    { size: [640, 240] },
  ],
  [
    "pixels twice as high as wide",
    made(...numbered({ filters: "setsar=1/2" }), ...h264, "high.mp4"),
    { size: [320, 480] },
  ],
  ["odd sides", made(...numbered({ size: "321x241" }), ...vp9, "odd.webm"), { size: [321, 241] }],
  [
    "an edit list that cuts the beginning away",
    remade(["-ss", "0.3"], ["edited.mp4"]),
    { numbers: count(17, 8), times: even(17) },
  ],
  [
    "sound that begins half a second earlier",
    async () => {
      await clips.make(...numbered(), ...h264, "silent.mp4");
      return clips.make(
        ...tone,
        "-itsoffset",
        "0.5",
        "-i",
        "silent.mp4",
        "-map",
        "0",
        "-map",
        "1",
        "-c:v",
        "copy",
        "late.mp4",
      );
    },
    { times: even(25, 0.5) },
  ],
  [
    "several sound tracks before the picture",
    made(...tone, ...tone, ...numbered(), "-map", "0", "-map", "1", "-map", "2", ...h264, "tracks.mkv"),
  ],
  [
    "a cover picture before the video",
    async () => {
      await clips.make("-f", "lavfi", "-i", "color=c=red:s=64x64:d=0.04", "-frames:v", "1", "cover.png");
      await clips.make(...numbered(), ...h264, "uncovered.mp4");
      return clips.make(
        "-i",
        "cover.png",
        "-i",
        "uncovered.mp4",
        "-map",
        "0",
        "-map",
        "1",
        "-c",
        "copy",
        "-disposition:v:0",
        "attached_pic",
        "covered.mp4",
      );
    },
  ],
  ["one frame only", made(...numbered({ frames: 1 }), ...h264, "lone.mp4"), { numbers: [0], times: [0] }],
  [
    "a variable rate in MP4",
    made(
      ...numbered({ filters: uneven }),
      ...h264,
      "-fps_mode",
      "passthrough",
      "-enc_time_base",
      "1:1000",
      "uneven.mp4",
    ),
    { times: count(25).map(unevenSeconds) },
  ],
  [
    "a variable rate in MKV",
    made(
      ...numbered({ filters: uneven }),
      ...h264,
      "-fps_mode",
      "passthrough",
      "-enc_time_base",
      "1:1000",
      "uneven.mkv",
    ),
    { times: count(25).map(unevenSeconds) },
  ],
  [
    "two hundred chapters",
    async () => {
      const chapter = (at: number): string =>
        `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${at * 5}\nEND=${at * 5 + 5}\ntitle=Chapter ${at}, at its full length\n`;
      await writeFile(clips.path("chapters"), `;FFMETADATA1\n${count(200).map(chapter).join("")}`);
      const inputs = [...numbered(), "-f", "ffmetadata", "-i", clips.path("chapters")];
      return clips.make(...inputs, "-map_chapters", "1", ...h264, "chapters.mkv");
    },
  ],
  [
    "a description of many lines",
    made(...numbered(), ...h264, "-metadata", LONG_DESCRIPTION, "described.mp4"),
  ],
  [
    "a title that pretends to be FFmpeg's word on the size",
    made(...numbered(), ...h264, "-metadata", `title=x\u2028${FORGED}`, "forged.mp4"),
  ],
  ["fragments", remade([], ["-movflags", "frag_keyframe+empty_moov", "fragments.mp4"], ["-g", "10"])],
  ["its index in front", remade([], ["-movflags", "faststart", "index.mp4"])],
  ["a live recording whose length was never written", remade([], ["-live", "1", "live.mkv"])],
  [
    "a resolution that changes on the way",
    async () => {
      const ts = [...h264, "-bf", "0", "-f", "mpegts"];
      await clips.make(...numbered({ frames: 10 }), ...ts, "large.ts");
      await clips.make(
        ...numbered({ size: "160x120", frames: 10 }),
        ...ts,
        "-output_ts_offset",
        "0.4",
        "small.ts",
      );
      return clips.make("-i", "concat:large.ts|small.ts", "-c", "copy", "changing.mkv");
    },
    { numbers: [...count(10), ...count(10)] },
  ],
];

/** Others are much like them. */
const LONG: ReadonlySet<string> = new Set([
  "full range",
  "HD that names no colours, but has much to tell",
  "a display turned by 180°",
  "a display turned by 270°",
  "pixels twice as high as wide",
  "a variable rate in MKV",
  "its index in front",
  "4:4:4 chroma",
  "HD that names BT.601",
  "several sound tracks before the picture",
  "two hundred chapters",
  "a description of many lines",
]);

describe("a video is read frame by frame, as a player shows it", () => {
  test.for(readable.filter(([title]) => isLong || !LONG.has(title)))(
    "%s",
    async ([, make, expected = {}]) => {
      const path = await make();
      const clip = await probe(path);
      const numbers = expected.numbers ?? count(25);
      expect([clip.width, clip.height]).toEqual(expected.size ?? [320, 240]);
      expect(clip.times).toHaveLength(numbers.length);

      const frames = await readAll(clip);
      const size = workingSize(clip);
      expect(frames.map((frame) => numberOf(frame, size))).toEqual(numbers);
      expect(frames.map((frame) => corners(frame, size))).toEqual(
        numbers.map(() => expected.corners ?? UPRIGHT),
      );
      expect(frames.map(({ sampleIdx }) => sampleIdx)).toEqual(count(numbers.length));
      expect(frames.map(({ frameIdx }) => frameIdx)).toEqual(count(numbers.length));
      const times = expected.times ?? (await shownTimes(path));
      for (const [at, { timeSec }] of frames.entries()) expect(timeSec).toBeCloseTo(times[at] ?? -1, 3);
    },
  );
});
