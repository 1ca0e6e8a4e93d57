/** The use of the embedded model's views of a picture, in pictures that no other test has. */
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boxIou } from "../../src/models/box.ts";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import { loadModel } from "../../src/models/load.ts";
import type { Instance, Model, Picture } from "../../src/models/model.ts";
import { decoded, SAMPLES } from "../models/samples.ts";

let model: Model;
beforeAll(async () => {
  model = await loadModel(await ensureBuiltin(), { threads: 2 });
});
afterAll(() => model.close());

async function only(picture: Picture, prompt: string): Promise<Instance> {
  const { instances } = await model.segment(picture, {
    prompts: [prompt],
    threshold: 0.5,
    withFaint: false,
  });
  expect(instances).toHaveLength(1);
  return instances[0] ?? expect.fail();
}

describe("the embedded model", () => {
  it("gives a cat that fills the picture one box, though no part of the picture shows it whole", async () => {
    const large = await decoded(await sharp(`${SAMPLES}chelsea.png`).resize(1353).png().toBuffer());
    const [x1, y1, x2, y2] = (await only(large, "cat")).box;
    expect((x2 - x1) * (y2 - y1)).toBeGreaterThan(0.8 * large.width * large.height);
  });

  it("finds a cat that is a twelfth of the picture's width", async () => {
    const cat = await sharp(`${SAMPLES}chelsea.png`).resize(100).png().toBuffer();
    const table = await sharp(`${SAMPLES}coffee.png`)
      .resize(1200)
      .composite([{ input: cat, left: 60, top: 80 }])
      .png()
      .toBuffer();
    const found = await only(await decoded(table), "cat");
    expect(boxIou(found.box, [60, 80, 160, 147])).toBeGreaterThan(0.8);
  });
});
