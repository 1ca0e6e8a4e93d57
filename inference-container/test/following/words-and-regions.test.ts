import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { VideoTask } from "../../src/messages.ts";
import { colourModel, type Film, RATE } from "../support/video/coloured-scene.ts";
import { click, disc, follow, framesWith, scratch } from "../support/follow.ts";

describe("words and regions in one job", () => {
  const film: Film = (frame) => ({
    ground: "grey",
    discs: [disc("red", 60 + 5 * frame, 50), disc("blue", 190 - 5 * frame, 140)],
  });

  test("share each frame's features, and no two objects share an id", async () => {
    const counted = { encoded: 0 };
    const regions = [click(190, 140, 0, { objectId: 2, label: "ball" })];
    const frames = await follow(film, { regions, frames: 8, prompts: ["red"], model: colourModel(counted) });
    expect(counted.encoded).toBe(8);
    for (const objects of frames)
      expect(objects.toSorted((a, b) => a.objectId - b.objectId)).toMatchObject([
        { objectId: 2, regionIndex: 0, label: "ball" },
        { objectId: 3, promptIndex: 0 },
      ]);
  });

  test("are called by their labels in the preview", async () => {
    const preview = async (label: string): Promise<Buffer> => {
      const folder = await scratch();
      const regions = [click(190, 140, 0, { label })];
      await follow(film, { regions, frames: 2, generatePreview: true, folder });
      return await readFile(join(folder, "preview.mp4"));
    };
    const [ball, again, egg] = [await preview("ball"), await preview("ball"), await preview("egg")];
    expect(Buffer.compare(ball, again)).toBe(0);
    expect(Buffer.compare(ball, egg)).not.toBe(0);
  });

  test("have separate categories in COCO; a label equal to a prompt has the prompt's", async () => {
    const regions = [
      click(190, 140, 0, { label: "ball" }),
      click(60, 50, 0, { index: 1, label: "red" }),
      click(190, 140, 0, { index: 2 }),
    ];
    const formats: VideoTask["formats"] = { wanted: ["coco"], taskId: "clip.mp4", index: 0 };
    const folder = await scratch();
    await follow(film, { regions, frames: 2, prompts: ["red"], formats, folder });
    const document: unknown = JSON.parse(await readFile(join(folder, "annotations.json"), "utf8"));
    expect(document).toMatchObject({
      categories: [
        { id: 1, name: "red" },
        { id: 2, name: "ball" },
        { id: 3, name: "region" },
      ],
      annotations: expect.arrayContaining([
        expect.objectContaining({ image_id: 1, track_id: 1, category_id: 2 }),
        expect.objectContaining({ image_id: 1, track_id: 2, category_id: 1 }),
        expect.objectContaining({ image_id: 1, track_id: 3, category_id: 3 }),
        expect.objectContaining({ image_id: 1, track_id: 4, category_id: 1 }),
      ]),
    });
  });
});

describe("a time picks the frame that is shown then", () => {
  const film: Film = (frame) => ({ ground: "grey", discs: frame < 3 ? [] : [disc("red", 80, 90)] });

  test("also just before the next one", async () => {
    const until: Film = (frame) => ({ ground: "grey", discs: frame < 3 ? [disc("red", 80, 90)] : [] });
    const frames = await follow(until, { regions: [click(80, 90, 2.9 / RATE)], frames: 6 });
    expect(framesWith(frames, 1)).toEqual([0, 1, 2]);
  });

  test("that frame is processed, though the rate would leave it out", async () => {
    const sampling = { fps: RATE / 4, numFrames: null, maxFrames: null };
    const asked = { regions: [click(80, 90, 3 / RATE)], frames: 6, sampling };
    expect(framesWith(await follow(film, asked, 3), 1)).toEqual([1, 2]);
  });

  test("that frame replaces another sample if their number is limited", async () => {
    const sampling = { fps: null, numFrames: 2, maxFrames: null };
    const late: Film = (frame) => ({ ground: "grey", discs: frame < 4 ? [] : [disc("red", 80, 90)] });
    const asked = { regions: [click(80, 90, 4 / RATE)], frames: 6, sampling };
    expect(framesWith(await follow(late, asked, 2), 1)).toEqual([1]);
  });

  test("but none after maxFrames, as a notice says", async () => {
    const sampling = { fps: null, numFrames: null, maxFrames: 2 };
    const late = follow(film, { regions: [click(80, 90, 4 / RATE)], frames: 6, sampling });
    await expect(late).rejects.toThrow(/maxFrames ends the processing at/);
  });
});
