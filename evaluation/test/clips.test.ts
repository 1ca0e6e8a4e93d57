import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clipLines, figuresOf, followFrames } from "../src/clips/evaluate-clips.ts";
import { maskOfPixels } from "../src/measures/mask.ts";
import {
  colourModel,
  type Film,
  painted,
  SIZE,
  visible,
} from "../../inference-container/test/support/video/coloured-scene.ts";
import { parseModelsArguments } from "../src/command/models-arguments.ts";

const disc = (x: number) => ({ colour: "red", x, y: 90, radius: 24 }) as const;

/** A disc that moves, and is away in the fourth frame. */
const film: Film = (frame) => ({ ground: "grey", discs: frame === 3 ? [] : [disc(60 + 12 * frame)] });
const FRAMES = 6;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "clips-"));
});
afterEach(() => rm(folder, { recursive: true }));

const labelled = (labels: Film = film) =>
  Promise.all(
    Array.from({ length: FRAMES }, async (_, frame) => {
      const picture = join(folder, `${frame}.png`);
      await sharp(painted(film(frame)), { raw: { ...SIZE, channels: 3 } }).toFile(picture);
      return { picture, label: maskOfPixels(visible(labels, frame, 0), SIZE.width, SIZE.height) };
    }),
  );

describe("following labeled videos", () => {
  it("returns each frame's IoU with its label, and says where the object is lost", async () => {
    const followed = await followFrames(colourModel(), await labelled());
    expect(followed.map(({ found }) => found !== null)).toEqual([true, true, true, false, true, true]);
    const figures = figuresOf("film", followed, 0.5);
    expect(figures).toMatchObject({ clip: "film", frames: 5, lost: 1, secondsPerFrame: 0.5 });
    expect(figures.j).toBeGreaterThan(0.9);
    expect(figures.precision).toBeGreaterThan(0.9);
  });

  it("counts pixels drawn outside the label against the precision", async () => {
    // The label stays where the object was.
    const still: Film = () => film(0);
    const figures = figuresOf("film", await followFrames(colourModel(), await labelled(still)), 0);
    expect(figures.j).toBeLessThan(0.5);
    expect(figures.precision).toBeLessThan(0.5);
    expect(clipLines([figures]).at(-1)).toContain("mean");
  });
});

describe("the command line of evaluate-clips", () => {
  it("takes a folder, and videos by their names", () => {
    expect(
      parseModelsArguments(["evaluate-clips", "DAVIS", "--clips", "camel,dog", "--frames", "5"]),
    ).toMatchObject({
      action: "evaluate-clips",
      folder: "DAVIS",
      clips: ["camel", "dog"],
      frames: 5,
    });
  });

  it.each([
    [["evaluate-clips"], "folder is missing"],
    [["evaluate-clips", "DAVIS", "--frames", "1"], "--frames"],
    [["evaluate-clips", "DAVIS", "--labels", "x"], "does not take --labels"],
  ])("refuses %j", (args, message) => {
    expect(() => parseModelsArguments(args)).toThrow(message);
  });
});
