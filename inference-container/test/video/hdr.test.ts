import { chmod, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Clip } from "../../src/video/clip.ts";
import { readFrames } from "../../src/video/frames.ts";
import { probeClip } from "../../src/video/probe.ts";
import { clipFolder, ffmpeg, type ClipFolder } from "../support/video/clips.ts";

const { signal } = new AbortController();
const SIZE = { width: 64, height: 64 };
let clips: ClipFolder;
beforeAll(async () => {
  clips = await clipFolder();
});
afterAll(() => clips.remove());

const X264 = ["-c:v", "libx264", "-qp", "2"];
const X265 = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:qp=4"];
const BT2020 = ["-color_primaries", "bt2020", "-colorspace", "bt2020nc"];

/** A video of one frame in one color, given as ten-bit luma and chroma of limited range. */
function plain(name: string, [y, cb, cr]: readonly number[], ...args: readonly string[]): Promise<string> {
  const colour = `color=s=64x64:r=5:d=0.2,format=yuv420p10le,geq=lum=${y}:cb=${cb}:cr=${cr}`;
  return clips.make(
    "-f",
    "lavfi",
    "-i",
    colour,
    ...args,
    "-pix_fmt",
    "yuv420p10le",
    "-color_range",
    "tv",
    name,
  );
}

const probe = (path: string, command = ffmpeg): Promise<Clip> =>
  probeClip(command, path, { inputPixels: 1e6, seconds: 60 }, signal);

async function shown(clip: Clip): Promise<number[]> {
  for await (const { rgb } of readFrames(ffmpeg, clip, [0], SIZE, signal)) return [...rgb.subarray(0, 3)];
  return [];
}

/** Luma for the luminance in cd/m², by the curve of SMPTE ST 2084. */
function pq(luminance: number): number {
  const power = (luminance / 10_000) ** (2610 / 16384);
  const value = ((3424 / 4096 + (2413 / 128) * power) / (1 + (2392 / 128) * power)) ** (2523 / 32);
  return Math.round(64 + 876 * value);
}

// ITU-R BT.2408, table 1: white paper has 203 cd/m², a gray card 26; in HLG these are 75 and 38 % of the signal.
test.for([
  ["PQ in H.264", [pq(203), 512, 512], [pq(26), 512, 512], [...X264, ...BT2020, "-color_trc", "smpte2084"]],
  ["PQ in H.265", [pq(203), 512, 512], [pq(26), 512, 512], [...X265, ...BT2020, "-color_trc", "smpte2084"]],
  ["HLG", [721, 512, 512], [397, 512, 512], [...X264, ...BT2020, "-color_trc", "arib-std-b67"]],
  [
    "PQ that names nothing else",
    [pq(203), 512, 512],
    [pq(26), 512, 512],
    [...X264, "-color_trc", "smpte2084"],
  ],
] as const)(
  "paper is white and a grey card mid-grey, as in a photograph: %s",
  async ([title, white, grey, args]) => {
    const name = title.replaceAll(/\W/g, "-");
    const [paper, card] = [
      await shown(await probe(await plain(`${name}-white.mp4`, white, ...args))),
      await shown(await probe(await plain(`${name}-grey.mp4`, grey, ...args))),
    ];
    // 26 of 203 by sRGB's curve; white leaves room for highlights.
    for (const value of card) expect(Math.abs(value - 101)).toBeLessThanOrEqual(4);
    for (const value of paper) {
      expect(value).toBeGreaterThan(205);
      expect(value).toBeLessThan(235);
    }
  },
);

test("highlights stay apart, and what is brighter than any is white", async () => {
  const args = [...X264, ...BT2020, "-color_trc", "smpte2084"];
  const seen = [];
  for (const luminance of [203, 400, 800, 1000, 4000])
    seen.push(
      (await shown(await probe(await plain(`${luminance}.mp4`, [pq(luminance), 512, 512], ...args))))[1] ?? 0,
    );
  const [paper = 0, lamp = 0, sun = 0, brightest, beyond] = seen;
  expect(lamp).toBeGreaterThan(paper + 5);
  expect(sun).toBeGreaterThan(lamp + 3);
  expect([brightest, beyond]).toEqual([255, 255]);
});

test("a color of BT.709 is the same color in HDR", async () => {
  // A red in linear light and BT.709's primaries, carried by BT.2020 and PQ.
  const convert =
    "zscale=pin=bt709:tin=linear:min=gbr:p=bt2020:t=smpte2084:m=bt2020nc:r=limited:npl=203,format=yuv420p10le";
  const source = `color=s=64x64:r=5:d=0.2,format=gbrpf32le,geq=r=0.25:g=0.05:b=0.05,setparams=color_trc=linear:color_primaries=bt709:colorspace=gbr,${convert}`;
  const path = await clips.make(
    "-f",
    "lavfi",
    "-i",
    source,
    ...X264,
    ...BT2020,
    "-color_trc",
    "smpte2084",
    "red.mp4",
  );
  const [red = 0, green = 0, blue = 0] = await shown(await probe(path));
  const curve = (light: number): number => 255 * (1.055 * light ** (1 / 2.4) - 0.055);
  expect(Math.abs(red - curve(0.25))).toBeLessThan(6);
  expect(Math.abs(green - curve(0.05))).toBeLessThan(6);
  expect(Math.abs(blue - curve(0.05))).toBeLessThan(6);
});

test("ten bits alone are no HDR, and an FFmpeg without the filters shows HDR as it did", async () => {
  const sdr = await probe(await plain("sdr.mp4", [502, 512, 512], ...X264, "-colorspace", "bt709"));
  expect([sdr.hdr, sdr.decoding.toneMapped]).toEqual([null, false]);
  const path = await plain("pale.mp4", [502, 512, 512], ...X264, ...BT2020, "-color_trc", "smpte2084");
  const without = clips.path("without");
  await writeFile(without, `#!/bin/sh\ncase "$*" in *-filters) exit;; esac\nexec '${ffmpeg}' "$@"\n`);
  await chmod(without, 0o755);
  const pale = await probe(path, without);
  expect([pale.hdr?.transfer, pale.decoding.toneMapped]).toEqual(["smpte2084", false]);
  expect(await shown(pale)).toEqual(await shown(sdr));
});
