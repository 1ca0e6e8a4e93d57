import { afterAll, beforeAll, expect, test } from "vitest";
import {
  clipFolder,
  type ClipFolder,
  numbered,
  numberOf,
  runFfmpeg,
  shownTimes,
  vp8,
} from "../support/video/clips.ts";
import { readAll, probe } from "../support/read-clip.ts";

let clips: ClipFolder;
beforeAll(async () => {
  clips = await clipFolder();
});

afterAll(() => clips.remove());

const h264 = ["-c:v", "libx264", "-preset", "veryfast", "-bf", "2", "-pix_fmt", "yuv420p"];

const count = (length: number): number[] => Array.from({ length }, (_, at) => at);

test("VP8's packets of hidden frames don't count", async () => {
  const source = ["-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=2", ...vp8("200k")];
  for (const pass of ["1", "2"]) await clips.make(...source, "-pass", pass, "vp8.webm");
  const path = clips.path("vp8.webm");
  const packets = await runFfmpeg(["-i", path, "-c", "copy", "-f", "framecrc", "-"]);
  expect(packets.match(/^0,/gm)?.length).toBeGreaterThan(50);

  const clip = await probe(path);
  expect(clip.times).toHaveLength(50);
  const frames = await readAll(clip);
  expect(frames.map(({ frameIdx }) => frameIdx)).toEqual(count(50));
  const times = await shownTimes(path);
  for (const [at, { timeSec }] of frames.entries()) expect(timeSec).toBeCloseTo(times[at] ?? -1, 3);
});

test("only the frames that are asked for are given, each with its own time", async () => {
  const clip = await probe(await clips.make(...numbered(), ...h264, "some.mp4"));
  const wanted = [0, 3, 4, 5, 11, 24];
  const frames = await readAll(clip, wanted);
  expect(frames.map(({ frameIdx }) => frameIdx)).toEqual(wanted);
  expect(frames.map((frame) => numberOf(frame, clip))).toEqual(wanted);
  expect(frames.map(({ timeSec }) => timeSec)).toEqual(wanted.map((at) => clip.times[at]));
  expect(frames.map(({ sampleIdx }) => sampleIdx)).toEqual(count(wanted.length));
});
