import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { Device } from "../../src/device/device.ts";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import { loadModel } from "../../src/models/load.ts";
import type { DrawnRegion, Model, Picture, Region } from "../../src/models/model.ts";
import { plainMask } from "../support/plain-mask.ts";
import { maskIou, reference, sample } from "./samples.ts";

const DOWNLOAD_MS = 600_000;

let model: Model;
let coffee: Picture;
beforeAll(async () => {
  model = await loadModel(await ensureBuiltin(), { threads: 2 });
  coffee = await sample("coffee");
}, DOWNLOAD_MS);
afterAll(() => model.close());

async function draw(picture: Picture, region: Region): Promise<DrawnRegion> {
  const request = { prompts: [], regions: [region], threshold: 0.5, withFaint: false };
  const { regions: [drawn = expect.fail()] = [] } = await model.segment(picture, request);
  return drawn;
}

const on = (x: number, y: number): Region => ({ points: [{ x, y, label: 1 }] });

// None of these is one of the 80 nouns.
test.for<readonly [string, string, Region]>([
  ["spoon-bowl", "in a box", { box: [326, 235, 407, 326] }],
  ["spoon-bowl", "at a point", on(366, 283)],
  ["saucer", "in a box", { box: [76, 69, 481, 390] }],
  ["saucer", "at a point", on(130, 230)],
  ["dark-corner", "in a box", { box: [0, 0, 153, 108] }],
  ["dark-corner", "at a point", on(45, 35)],
])("%s is drawn %s as a person drew it [A5-10]", async ([name, , region]) => {
  const { mask } = await draw(coffee, region);
  const drawn = plainMask(mask, coffee.width, coffee.height, 0.5);
  expect(maskIou(drawn, await reference(`coffee-${name}`))).toBeGreaterThanOrEqual(0.85);
});

test("a further region of a known picture costs one run, of the decoder [A5-11]", async () => {
  const runs = vi.spyOn(Device.prototype, "run");
  onTestFinished(() => runs.mockRestore());
  const picture = { ...coffee, contentHash: "a picture not seen before" };
  await draw(picture, on(366, 283));
  await draw(picture, { box: [0, 0, 153, 108] });
  const encoder = ["image_embed", "high_res_feats_0", "high_res_feats_1"];
  const decoder = ["masks", "iou_predictions"];
  expect(runs.mock.calls.map(([{ outputs }]) => outputs)).toEqual([encoder, decoder, decoder]);
});
