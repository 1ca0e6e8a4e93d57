import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { imageTensor } from "../../src/models/image-tensor.ts";
import { DEFAULT_LOAD_OPTIONS, type LoadedModel } from "../../src/models/loaded-model.ts";
import type { Instance } from "../../src/models/model.ts";
import type { Corners, LogitGrid, Region, Size } from "@segmentation/masks";
import { Sam3Manifest } from "../../src/models/sam3/manifest.ts";
import { openSam3 } from "../../src/models/sam3/open.ts";
import { ClipTokenizer } from "../../src/models/text/clip-tokenizer.ts";
import { present } from "../../../test/support/at.ts";
import { isLong } from "../support/form.ts";
import { narrowed } from "../models/sam3/export-folder.ts";
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
  readonly examples: readonly Corners[];
}

/** The tracker's result for a region. */
interface Marked {
  readonly box?: Corners;
  /** Picture pixels, and 1 on the object or 0 outside it. */
  readonly points?: readonly (readonly [number, number, 0 | 1])[];
  /** True if it corrects the mask of `prior`. */
  readonly corrects: boolean;
  /** The estimates of the three masks. */
  readonly quality: readonly number[];
  /** Every 24th logit of the three masks across and down: base64 of float32. */
  readonly logits: string;
}

interface Sam3Figures extends Figures<Masked, MaskedRow> {
  readonly pictures: readonly (PictureFigures<Masked> & {
    readonly alike: readonly Alike[];
    readonly regions: readonly Marked[];
  })[];
}

const figures = await readFigures<Sam3Figures>("sam3");
const FILES = ["vision-encoder.onnx", "text-encoder.onnx", "geo-encoder-mask-decoder.onnx", "tokenizer.json"];
let folder: string;
let manifest: Sam3Manifest;
let model: LoadedModel;

/** Opens the graphs of the figures by a template, with the decoder of regions that it names. */
async function opened(template: string, ...decoder: string[]): Promise<[string, Sam3Manifest, LoadedModel]> {
  const place = await mkdtemp(join(tmpdir(), "sam3-reference-"));
  onTestsEnd.push(() => rm(place, { recursive: true }));
  const parsed = Sam3Manifest.parse(narrowed(await filledTemplate(`sam3/${template}`)));
  const narrow = { ...parsed, outputs: { ...parsed.outputs, floor: 0, faintFloor: 0 } };
  const here = narrow.files.filter(({ role }) => role !== "weights");
  await writeFile(join(place, "manifest.json"), JSON.stringify({ ...narrow, files: here }));
  for (const file of [...FILES, ...decoder]) await symlink(join(fixtures("sam3"), file), join(place, file));
  const one = await openSam3(place, DEFAULT_LOAD_OPTIONS);
  onTestsEnd.unshift(() => one.close());
  return [place, narrow, one];
}

const onTestsEnd: (() => Promise<void>)[] = [];
beforeAll(async () => {
  [folder, manifest, model] = await opened("usls.json");
});
afterAll(async () => {
  for (const end of onTestsEnd) await end();
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

  it("takes any number of examples, if its export does, and no regions without their decoder", () => {
    expect(model.findsAlike).toBe(true);
    expect([model.drawsRegions, model.followsRegions, model.decoder]).toEqual([false, false, undefined]);
  });
});

/** The grid of a mask that is corrected. */
const PRIOR_SIDE = 288;
const prior: LogitGrid = {
  width: PRIOR_SIDE,
  height: PRIOR_SIDE,
  logits: Float32Array.from({ length: PRIOR_SIDE ** 2 }, (_, cell) => {
    const [x, y] = [cell % PRIOR_SIDE, Math.floor(cell / PRIOR_SIDE)];
    return 8 * Math.sin(x / 40) + 6 * Math.cos(y / 30);
  }),
};
const STEP = 24;
/** The largest difference of a logit, as a share of all logits' standard deviation. */
const LOGIT = 1e-3;

describe("SAM 3 draws regions as its own code draws them", () => {
  let drawing: LoadedModel;
  beforeAll(async () => {
    [, , drawing] = await opened("regions.json", "region-decoder.onnx");
  });

  // One picture shows it in the short form.
  it.each(isLong ? figures.pictures : figures.pictures.slice(0, 1))(
    "$file: the same masks and estimates",
    async (shown) => {
      const picture = await pictureOf(shown);
      const tolerance = toleranceOf(picture, manifest.image);
      const regions = shown.regions.map(regionOf);
      const [first] = shown.found;
      const words = { prompts: first === undefined ? [] : [first.prompt], threshold: first?.threshold ?? 0 };
      const found = await drawing.segment(picture, { ...words, regions, withFaint: false, keepOpen: true });
      using open = found.open;
      if (first !== undefined) expectMasked(found.instances, first, picture, tolerance);
      const offers = await present(open?.following).offers(regions);
      for (const [at, { quality, logits }] of shown.regions.entries()) {
        const offered = offers[at] ?? [];
        expect(offered.map((one) => one.quality)).toContain(found.regions?.[at]?.quality);
        // The single mask comes before the three alternatives.
        const alternatives = offered.slice(1);
        expect(alternatives).toHaveLength(quality.length);
        const estimates = alternatives.map((one, i) => Math.abs(one.quality - (quality[i] ?? Number.NaN)));
        expect(Math.max(...estimates)).toBeLessThan(tolerance.score);
        const theirs = new Float32Array(new Uint8Array(Buffer.from(logits, "base64")).buffer);
        const spread = Math.hypot(...theirs) / Math.sqrt(theirs.length);
        const ours = alternatives.flatMap(({ mask }) => sampled(mask));
        const apart = ours.map((logit, i) => Math.abs(logit - (theirs[i] ?? Number.NaN)) / spread);
        expect(Math.max(...apart)).toBeLessThan((LOGIT * tolerance.score) / 1e-3);
      }
    },
  );
});

function regionOf({ box, points, corrects }: Marked): Region {
  const clicks = points?.map(([x, y, label]) => ({ x, y, label }));
  const corrected = corrects ? { prior } : {};
  if (box === undefined) return { points: clicks ?? [], ...corrected };
  return { box, ...(clicks !== undefined && { points: clicks }), ...corrected };
}

/** Every 24th logit across and down. */
function sampled({ width, height, logits }: LogitGrid): number[] {
  const rows = Array.from({ length: height / STEP }, (_, row) => row * STEP * width);
  return rows.flatMap((row) =>
    Array.from({ length: width / STEP }, (_, column) => logits[row + column * STEP] ?? Number.NaN),
  );
}

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
