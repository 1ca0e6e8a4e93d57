import { availableParallelism } from "node:os";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { readEmbedding } from "@segmentation/masks";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { peakIn } from "../../../scripts/shared/processes.ts";
import { present } from "../../../test/support/at.ts";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import {
  CocoPictures,
  expectCoco,
  expectCutout,
  expectLabelmap,
  expectYolo,
  readMask,
} from "../support/masks/formats.ts";
import { imageOutput } from "../support/service/reports.ts";
import { type Rig, startRig } from "../support/service/running-service.ts";

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

test("a photograph goes from the posted task to stored masks and a preview [1-2]", async () => {
  const report = await rig.finish({
    key: "coffee",
    inputUrl: `${rig.worker.origin}/inputs/coffee.png`,
    prompts: ["cup", "unicorn", "spoon"],
    generatePreview: true,
    formats: { wanted: ["coco", "yolo", "cutout", "labelmap", "embedding"], taskId: "coffee.png", index: 0 },
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

  const file = (name: string): Buffer => present(rig.worker.stored.get(`coffee/${name}`), name);
  const known = await Promise.all(
    masks.map(async (mask) => ({ ...mask, mask: await readMask(file(mask.file)) })),
  );
  expectCoco(CocoPictures.parse(JSON.parse(file("annotations.json").toString())), "coffee.png", known);
  expectYolo(file("labels.txt").toString(), known);
  const { model, width, height, tensors } = readEmbedding(file("embedding.bin"));
  expect([model.id, width, height]).toEqual(["builtin", 600, 400]);
  expect(tensors.map(({ name, dims }) => [name, dims])).toEqual([
    ["image_embed", [1, 256, 64, 64]],
    ["middle_cells", [4_096, 256]],
    ["fine_cells", [16_384, 128]],
  ]);
  await expectLabelmap(file("labelmap.png"), known);
  for (const mask of known)
    await expectCutout(file(`cutouts/${mask.maskIndex}.png`), mask, await readFile(COFFEE));
});

test.skipIf(process.platform !== "linux")(
  "the engine takes no more memory than the operator's guide says, gives large blocks back to the system, and has a thread per core",
  () => {
    const guide = readFileSync(new URL("../../../docs/operations/inference.md", import.meta.url), "utf8");
    const [, gigabytes] = /per device: ([\d.]+) GB for the embedded model/.exec(guide) ?? [];
    const engine = `/proc/${rig.service.enginePid()}`;
    expect(peakIn(readFileSync(`${engine}/status`, "utf8"))).toBeLessThan(Number(gigabytes) * 1e9);
    const environment = readFileSync(`${engine}/environ`, "utf8").split("\0");
    expect(environment).toContain("MALLOC_MMAP_THRESHOLD_=1048576");
    const threads = Math.max(4, availableParallelism());
    expect(environment).toContain(`UV_THREADPOOL_SIZE=${threads}`);
  },
);
