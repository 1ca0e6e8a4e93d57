import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadModel } from "../../../src/models/load.ts";
import type { Model } from "../../../src/models/model.ts";
import { click, disc, follow, type Frames, inFrame, overlap, range } from "../../support/follow.ts";
import type { Film } from "../../support/video/coloured-scene.ts";
import { clipTokenizerJson } from "./clip-vocabulary.ts";
import { sam3Folder } from "./export-folder.ts";
import { fixtureRegionGraphs } from "./fixture-graphs.ts";

describe("SAM 3 in videos", () => {
  let folder: string;
  let model: Model;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sam3-clip-"));
    await sam3Folder(folder, undefined, {
      ...fixtureRegionGraphs({ channels: 32 }),
      "tokenizer.json": JSON.stringify(clipTokenizerJson()),
    });
    model = await loadModel(folder);
  });
  afterAll(async () => {
    await model.close();
    await rm(folder, { recursive: true });
  });

  const film: Film = (frame) => ({
    ground: "grey",
    discs: [disc("red", 70 + 8 * frame, 50, 30), disc("blue", 130 + 8 * frame, 50, 30)],
  });
  const [red, blue] = [0, 1];
  const expectDisc = (frames: Frames, id: number, frame: number, which: number, share: number): void =>
    expect(overlap(frames, id, film, frame, which), `object ${id} in frame ${frame}`).toBeGreaterThan(share);

  it("follows what a box and a point mark, forward and backward, and finds by words in the same frames", async () => {
    const regions = [
      { index: 0, objectId: 1, timeSeconds: inFrame(1), box: [48, 20, 60, 60] as const },
      click(138, 50, inFrame(1), { index: 1, objectId: 2 }),
    ];
    const frames = await follow(film, { model, regions, frames: 3, prompts: ["red"] });
    for (const frame of range(0, 3)) {
      expectDisc(frames, 1, frame, red, 0.9);
      expectDisc(frames, 2, frame, blue, 0.9);
      expect(frames[frame]?.filter(({ promptIndex }) => promptIndex === 0)).toMatchObject([{ objectId: 3 }]);
    }
  });

  it("adds to the followed mask what a later click marks, from there on", async () => {
    const regions = [
      click(70, 50, 0, { objectId: 1 }),
      click(138, 50, inFrame(1), { index: 1, objectId: 1 }),
    ];
    const frames = await follow(film, { model, regions, frames: 3 });
    expectDisc(frames, 1, 0, red, 0.9);
    // Each is half of both.
    for (const frame of range(1, 3))
      for (const which of [red, blue]) expectDisc(frames, 1, frame, which, 0.3);
  });
});
