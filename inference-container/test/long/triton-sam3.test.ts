import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openKserve } from "../../src/models/kserve/model.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../src/models/loaded-model.ts";
import { fixtureFolder } from "../models/kserve/fixture-folder.ts";
import {
  expectSame,
  type Figures,
  fixtures,
  type Masked,
  overlap,
  pictureOf,
  readFigures,
} from "../reference/figures.ts";
import { plainMask } from "../support/masks/plain-mask.ts";
import { MODEL, startTriton, type Triton } from "../support/triton/start-triton.ts";

describe("SAM 3 with seeded weights at Triton", () => {
  let folder: string;
  let seeded: Triton;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kserve-"));
    seeded = await startTriton({ instances: 1, graphs: fixtures("sam3") });
  });
  afterAll(async () => {
    await seeded[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it("finds the boxes, scores and masks that its own code finds", async () => {
    const objects = { most: 200, floor: 0, faintFloor: 0 };
    await fixtureFolder(folder, seeded.origin, {
      server: { model: MODEL },
      image: { maxPixels: 5e6 },
      objects,
    });
    const model = await openKserve(folder, DEFAULT_LOAD_OPTIONS);
    expect(model.drawsRegions).toBe(false);
    for (const shown of (await readFigures<Figures<Masked>>("sam3")).pictures) {
      const shownPicture = await pictureOf(shown);
      for (const found of shown.found) {
        const { prompt, threshold, masks } = found;
        const { instances } = await model.segment(shownPicture, {
          prompts: [prompt],
          threshold,
          withFaint: false,
        });
        expectSame(instances, found, shown, threshold);
        for (const [place, runs] of masks.entries()) {
          const mask = instances[place]?.mask ?? expect.fail("There are fewer objects than masks.");
          // Masks come in FP16, and Pillow's pixels differ from the reference's by up to 1 of 255; these are nearly all edge.
          expect(overlap(plainMask(mask, shown.width, shown.height, 0.5), runs)).toBeGreaterThan(0.99);
        }
      }
    }
    await model.close();
  });
});
