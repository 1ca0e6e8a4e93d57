import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findFfmpeg } from "../../../inference-container/src/video/ffmpeg.ts";
import { expectedFrames, filmStrip } from "../../../scripts/demo/clip-frames.ts";
import { readMedia } from "../../../scripts/demo/media.ts";
import { trackCells } from "../../../scripts/demo/save-result.ts";

const { signal } = new AbortController();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "demo-clip-test-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Three seconds, of a colour each: red, green, blue. Ten frames a second. */
function threeColours(name: string, size: string): string {
  const path = join(folder, name);
  const colours = ["red", "lime", "blue"].flatMap((colour) => [
    "-f",
    "lavfi",
    "-i",
    `color=${colour}:size=${size}:rate=10:duration=1`,
  ]);
  const joined = ["-filter_complex", "concat=n=3", "-pix_fmt", "yuv420p"];
  execFileSync(findFfmpeg(process.env), ["-v", "error", ...colours, ...joined, path]);
  return path;
}

/** The strongest of red, green and blue at a place. */
async function colourAt(png: Buffer, left: number, top: number): Promise<string | undefined> {
  const [red = 0, green = 0, blue = 0, alpha = 0] = await sharp(png)
    .extract({ left, top, width: 1, height: 1 })
    .ensureAlpha()
    .raw()
    .toBuffer();
  if (alpha === 0) return "none";
  return ["red", "green", "blue"][[red, green, blue].indexOf(Math.max(red, green, blue))];
}

describe("a clip for the demo", () => {
  it.each([
    ["clip.mp4", "video/mp4"],
    ["clip.MOV", "video/quicktime"],
    ["clip.webm", "video/webm"],
    ["clip.mkv", "video/x-matroska"],
    ["clip.avi", "video/x-msvideo"],
  ])("%s is uploaded as %s", async (name, contentType) => {
    const path = threeColours(name, "64x48");
    expect(await readMedia(path)).toMatchObject({ kind: "clip", name: "clip", contentType, size: "0.0 MB" });
  });

  it("is known by its bytes, not by its name", async () => {
    const media = await readMedia(threeColours("video.avi", "64x48"));
    const path = join(folder, "photo.jpg");
    await writeFile(path, new Uint8Array(await new Blob([media.file]).arrayBuffer()));
    expect(await readMedia(path)).toMatchObject({ kind: "clip", contentType: "video/x-msvideo" });
  });
});

describe("the number of frames that a progress bar counts to", () => {
  it.each([
    ["six a second", {}, 18],
    ["a rate", { fps: 2 }, 6],
    ["a number", { numFrames: 7 }, 7],
    ["a number, of a clip that has fewer", { numFrames: 99 }, 30],
    ["a rate and a bound", { fps: 5, maxFrames: 4 }, 4],
  ])("follows what was asked for: %s", async (_, requested, frames) => {
    const path = threeColours(`asked-${frames}.mp4`, "64x48");
    expect(await expectedFrames(path, requested, signal)).toBe(frames);
  });

  it("is unknown for a file that is not a clip", async () => {
    const path = join(folder, "notes.mp4");
    await writeFile(path, "no clip");
    expect(await expectedFrames(path, {}, signal)).toBeNull();
  });

  it("is not computed after an abort", async () => {
    const stopped = AbortSignal.abort(new Error("stopped"));
    await expect(expectedFrames(threeColours("late.mp4", "64x48"), {}, stopped)).rejects.toThrow("stopped");
  });
});

describe("a clip's strip", () => {
  it("has four frames of a landscape clip side by side, in their order, transparent between them", async () => {
    const strip = await filmStrip(threeColours("landscape.mp4", "400x300"), signal);
    const { width, height } = await sharp(strip).metadata();
    expect({ width, height }).toEqual({ width: 1_200, height: 221 });
    const places = [0, 1, 2, 3].map((n) => colourAt(strip, n * 302 + 147, 110));
    expect(await Promise.all(places)).toEqual(["red", "red", "green", "blue"]);
    expect(await colourAt(strip, 298, 110)).toBe("none");
  });

  it("has six frames of a portrait clip", async () => {
    const strip = await filmStrip(threeColours("portrait.mp4", "240x400"), signal);
    const places = [0, 1, 2, 3, 4, 5].map((n) => colourAt(strip, n * 201 + 96, 100));
    expect(await Promise.all(places)).toEqual(["red", "red", "green", "green", "blue", "blue"]);
  });

  it("does not enlarge a small clip's frames, and takes as many as there are", async () => {
    const path = join(folder, "short.mp4");
    const two = ["-f", "lavfi", "-i", "color=red:size=160x120:rate=10:duration=0.2", "-pix_fmt", "yuv420p"];
    execFileSync(findFfmpeg(process.env), ["-v", "error", ...two, path]);
    const { width, height } = await sharp(await filmStrip(path, signal)).metadata();
    expect({ width, height }).toEqual({ width: 328, height: 120 });
  });
});

const sighting = fc.record({
  sampleIdx: fc.nat(),
  frameIdx: fc.nat(),
  timeSec: fc.double({ min: 0, max: 600, noNaN: true }),
  confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  box: fc.constant([0, 0, 1, 1] as const),
  rle: fc.constant({ size: [1, 1] as const, counts: "01" }),
  bitmap: fc.constant(() => ({ width: 1, height: 1, data: new Uint8Array(1) })),
});

describe("the table of tracked objects", () => {
  it("has each object once, from when it was first seen to when it was last seen", () => {
    fc.assert(
      fc.property(fc.nat(9), fc.array(sighting, { minLength: 1, maxLength: 30 }), (objectId, seen) => {
        const sightings = seen.toSorted((a, b) => a.timeSec - b.timeSec);
        expect(trackCells({ objectId, prompt: "cat", sightings })).toEqual([
          objectId,
          "cat",
          `${sightings[0]?.timeSec.toFixed(1)} s`,
          `${sightings.at(-1)?.timeSec.toFixed(1)} s`,
          sightings.length,
          Math.max(...sightings.map(({ confidence }) => confidence)).toFixed(2),
        ]);
      }),
    );
  });
});
