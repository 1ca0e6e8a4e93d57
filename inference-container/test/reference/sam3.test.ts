import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Box } from "../../src/models/box.ts";
import { imageTensor } from "../../src/models/image-tensor.ts";
import { DEFAULT_LOAD_OPTIONS, type LoadedModel } from "../../src/models/loaded-model.ts";
import type { Instance } from "../../src/models/model.ts";
import { Sam3Manifest } from "../../src/models/sam3/manifest.ts";
import { openSam3 } from "../../src/models/sam3/model.ts";
import { ClipTokenizer } from "../../src/models/text/clip-tokenizer.ts";
import type { Size } from "../../src/size.ts";
import { plainMask } from "../support/masks/plain-mask.ts";
import {
  expectSame,
  type Figures,
  filledTemplate,
  fixtures,
  type Masked,
  overlap,
  type PictureFigures,
  pictureOf,
  pixelDistance,
  type Tolerance,
  toleranceOf,
  readFigures,
  type TokenRow,
} from "./figures.ts";

interface MaskedRow extends TokenRow {
  /** 1 for a token of the text, 0 for padding. */
  readonly mask: readonly number[];
}

interface Alike extends Masked {
  /** The boxes of the examples, in picture pixels. */
  readonly examples: readonly Box[];
}

interface Sam3Figures extends Figures<Masked, MaskedRow> {
  readonly pictures: readonly (PictureFigures<Masked> & { readonly alike: readonly Alike[] })[];
}

const figures = await readFigures<Sam3Figures>("sam3");
const FILES = ["vision-encoder.onnx", "text-encoder.onnx", "geo-encoder-mask-decoder.onnx", "tokenizer.json"];
/** The model of the figures is narrower than SAM 3. */
const CHANNELS = 32;

let folder: string;
let manifest: Sam3Manifest;
let model: LoadedModel;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sam3-reference-"));
  const narrow = JSON.stringify(await filledTemplate("sam3/usls.json")).replaceAll(/\b256\b/g, `${CHANNELS}`);
  const parsed = Sam3Manifest.parse(JSON.parse(narrow));
  manifest = { ...parsed, outputs: { ...parsed.outputs, floor: 0, faintFloor: 0 } };
  const here = manifest.files.filter(({ role }) => role !== "weights");
  await writeFile(join(folder, "manifest.json"), JSON.stringify({ ...manifest, files: here }));
  for (const file of FILES) await symlink(join(fixtures("sam3"), file), join(folder, file));
  model = await openSam3(folder, DEFAULT_LOAD_OPTIONS);
});
afterAll(async () => {
  await model.close();
  await rm(folder, { recursive: true });
});

describe("SAM 3 is run as its own code runs it", () => {
  it.each(figures.tokens)("$prompt: the same tokens", async ({ prompt, ids, mask }) => {
    const row = (await ClipTokenizer.load(folder, manifest.text)).encode(prompt);
    expect(row).toEqual({ ids, count: mask.reduce((sum, one) => sum + one, 0) });
  });

  it.each(figures.pictures)("$file: the same pixels, boxes, scores and masks", async (shown) => {
    const picture = { ...(await pictureOf(shown)), contentHash: shown.file };
    const tolerance = toleranceOf(picture, manifest.image);
    expect(pixelDistance(await imageTensor(picture, manifest.image), shown.pixels)).toBeLessThan(
      tolerance.pixels,
    );
    for (const found of shown.found) {
      const { prompt, threshold } = found;
      const { instances } = await model.segment(picture, { prompts: [prompt], threshold, withFaint: false });
      expectMasked(instances, found, picture, tolerance);
    }
    for (const found of shown.alike) {
      const examples = [found.examples.map((box) => ({ box }))];
      const request = { prompts: [], threshold: found.threshold, withFaint: false, examples };
      expectMasked((await model.segment(picture, request)).alike ?? [], found, picture, tolerance);
    }
  });

  it("takes any number of examples, if its export does", () => {
    expect(model.findsAlike).toBe(true);
  });
});

/** Expects the reference's objects, and the masks of the first. */
function expectMasked(
  ours: readonly Pick<Instance, "box" | "score" | "mask">[],
  theirs: Masked,
  picture: Size,
  tolerance: Tolerance,
): void {
  expectSame(ours, theirs, picture, theirs.threshold, tolerance);
  for (const [place, runs] of theirs.masks.entries()) {
    const mask = ours[place]?.mask ?? expect.fail("There are fewer objects than masks.");
    expect(overlap(plainMask(mask, picture.width, picture.height, 0.5), runs)).toBeGreaterThan(
      tolerance.overlap,
    );
  }
}
