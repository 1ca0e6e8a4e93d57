import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import { imageOutput } from "../support/reports.ts";
import { type Rig, startRig } from "../support/running-service.ts";

const LOADER = new URL("../../src/models/load.ts", import.meta.url).href;
const COFFEE = new URL("../../../samples/coffee.png", import.meta.url);
const DOWNLOAD_MS = 600_000;

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ MODEL_FOLDER: await ensureBuiltin() }, LOADER);
  rig.worker.inputs.set("coffee.png", await readFile(COFFEE));
  await rig.service.ready;
}, DOWNLOAD_MS);
afterAll(() => rig[Symbol.asyncDispose]());

test("a photograph goes from the posted task to stored masks and a preview", async () => {
  const report = await rig.finish({
    key: "coffee",
    inputUrl: `${rig.worker.origin}/inputs/coffee.png`,
    prompts: ["cup", "unicorn", "spoon"],
    generatePreview: true,
  });
  const { masks, preview, notice } = imageOutput(report);
  expect(masks.map(({ promptIndex }) => promptIndex)).toEqual([0, 2]);
  expect(notice?.code).toBe("prompt_outside_vocabulary");
  expect(preview).toBe("preview.png");
  const stored = rig.worker.stored.get("coffee/masks/0.png");
  const { data, info } = await sharp(stored).extractChannel(0).raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).toEqual([600, 400]);
  const inside = (x: number, y: number): boolean => data[y * 600 + x] === 255;
  expect(inside(290, 130)).toBe(true);
  expect(inside(20, 20)).toBe(false);
});
