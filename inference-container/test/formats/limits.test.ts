import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openCoco } from "../../src/formats/coco.ts";
import { openCutouts } from "../../src/formats/cutout.ts";
import { openLabelmap } from "../../src/formats/labelmap.ts";
import { openYolo } from "../../src/formats/yolo.ts";
import { runsOf } from "../support/masks/mask-pixels.ts";
import { expectLabelmap } from "../support/masks/formats.ts";
import { maskOfPixels } from "../../../evaluation/src/measures/mask.ts";
import { readFile } from "node:fs/promises";

/** Of a COCO document and of labels, in bytes. */
const MOST_TEXT = 1_000;
/** Three cut-outs of the whole picture. */
const MOST_CUTOUTS = 20 * 10 * 4 * 3;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "formats-"));
});
afterAll(() => rm(folder, { recursive: true }));

const [width, height] = [20, 10];
const picture = { width, height, rgb: new Uint8Array(width * height * 3), contentHash: null };
const subject = () => ({ folder, prompts: ["cat"], taskId: "a.png", index: 0, picture, categories: [] });
const mask = (maskIndex: number, pixels = Array<boolean>(width * height).fill(true)) => ({
  maskIndex,
  categoryId: 1,
  score: 0.5,
  runs: runsOf(pixels, width, height),
});

test.for([
  ["COCO annotations", openCoco, MOST_TEXT],
  ["YOLO labels", openYolo, MOST_TEXT],
  ["cut-outs", openCutouts, MOST_CUTOUTS],
] as const)(
  "%s that would exceed their limit fail the task and say what to do [A4-13]",
  async ([name, open, most]) => {
    await using writer = await open(subject(), most);
    const addMany = async (): Promise<void> => {
      for (let i = 0; i < 100; i++) await writer.add(mask(i));
    };
    await expect(addMany()).rejects.toMatchObject({
      code: "formats_too_large",
      retryable: false,
      message: expect.stringMatching(
        new RegExp(`^The ${name} would exceed the limit of [\\d.]+ MB\\. .* ask for fewer formats\\.$`),
      ),
    });
  },
);

test("cut-outs of just the limit are written", async () => {
  await using writer = await openCutouts(subject(), MOST_CUTOUTS);
  for (let i = 0; i < 3; i++) await writer.add(mask(i));
  expect(await writer.finish()).toHaveLength(3);
});

test("a label map distinguishes more than 255 masks, and keeps those that came before [A4-11]", async () => {
  await using writer = openLabelmap(subject());
  const known = Array.from({ length: 300 }, (_, maskIndex) => {
    const pixels = Array.from({ length: width * height }, (__, at) => at % 200 === maskIndex % 200);
    const found = { ...mask(maskIndex, pixels), score: maskIndex / 1_000 };
    return { found, mask: maskOfPixels(Uint8Array.from(pixels, Number), width, height) };
  });
  for (const { found } of known) await writer.add(found);
  await writer.finish();
  await expectLabelmap(
    await readFile(join(folder, "labelmap.png")),
    known.map(({ found: { maskIndex, score }, mask: of }) => ({
      maskIndex,
      promptIndex: 0,
      confidence: score,
      mask: of,
    })),
  );
});
