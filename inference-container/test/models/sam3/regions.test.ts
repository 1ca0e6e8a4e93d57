import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bitmapOf, findRuns, iou, writeEmbedding } from "@segmentation/masks";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { MaskDecoder } from "../../../../client/src/interactive/decoder.ts";
import { present } from "../../../../test/support/at.ts";
import { ModelFolderError } from "../../../src/models/errors.ts";
import { loadModel } from "../../../src/models/load.ts";
import type { Model } from "../../../src/models/model.ts";
import { InferenceSession, Tensor } from "../../../src/onnx/runtime.ts";
import { sample } from "../samples.ts";
import { REGION_DECODER, sam3Folder } from "./export-folder.ts";

type Manifest = Record<string, unknown>;
const NOTHING = { prompts: [], threshold: 0.5, withFaint: false };

describe("SAM 3 with its decoder of regions", () => {
  let folder: string;
  let recognised: string;
  let model: Model;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "sam3-regions-"));
    recognised = await sam3Folder(folder, (manifest) => ({
      ...manifest,
      outputs: { ...Object(manifest["outputs"]), floor: 0, faintFloor: 0 },
    }));
    model = await loadModel(folder);
  });
  afterAll(async () => {
    await model.close();
    await rm(folder, { recursive: true });
  });

  it("is recognized by describe, and draws, corrects and follows", () => {
    expect(recognised).toContain("a decoder of regions");
    expect(model).toMatchObject({
      drawsRegions: true,
      followsRegions: true,
      priorSide: 288,
      decoder: { name: REGION_DECODER },
    });
  });

  it("gives an embedding in which a client draws the same mask, also from a mask to correct", async () => {
    const picture = await sample("chelsea");
    const { width, height } = picture;
    const corners = [width / 4, height / 4, (3 * width) / 4, (3 * height) / 4] as const;
    const { regions = [], embedding } = await model.segment(picture, {
      ...NOTHING,
      regions: [{ box: corners }],
      withEmbedding: true,
    });
    const served = present(regions[0]);
    const file = await readFile(join(folder, REGION_DECODER));
    const decoder = await MaskDecoder.load({ InferenceSession, Tensor }, file, { intraOpNumThreads: 1 });
    const opened = decoder.open(writeEmbedding({ ...present(embedding), width, height }));
    const box = [width / 4, height / 4, width / 2, height / 2] as const;
    const drawn = await opened.decode({ box });
    const mask = bitmapOf(findRuns(served.mask, width, height, 0.5));
    expect(Math.abs(drawn.confidence - served.quality)).toBeLessThan(0.01);
    expect(iou(drawn.mask, mask)).toBeGreaterThan(0.9);
    const corrected = await opened.decode({ box, prior: mask });
    expect(corrected.confidence).not.toBe(drawn.confidence);
    await decoder.release();
  });

  it("takes points as an example, by the box around what they mark", async () => {
    const picture = { ...(await sample("chelsea")), contentHash: "cat" };
    const points = [{ x: 200, y: 150, label: 1 }] as const;
    const ask = { ...NOTHING, threshold: 0 };
    const pointed = await model.segment(picture, { ...ask, examples: [[{ points }]] });
    expect(pointed.alike?.length).toBeGreaterThan(0);
    const other = [{ x: 20, y: 20, label: 1 }] as const;
    const elsewhere = await model.segment(picture, { ...ask, examples: [[{ points: other }]] });
    expect(elsewhere.featuresCached).toBe(true);
    expect(elsewhere.alike?.map(({ score }) => score)).not.toEqual(pointed.alike?.map(({ score }) => score));
  });

  it.each([
    [
      "that says how masks are drawn, but not by which graph",
      (manifest: Manifest) => {
        const { regions: _, ...graphs } = Object(manifest["graphs"]);
        return { ...manifest, graphs };
      },
      "the graph regions and masks belong together",
    ],
    [
      "whose image encoder lacks the tracker's features, by the name of the tensor",
      (manifest: Manifest): object =>
        JSON.parse(JSON.stringify(manifest).replace('"fine","name":"image_', '"other","name":"image_')),
      'The input "high_res_feats_0" of region-decoder.onnx has the role "fine" in the manifest, which no other graph provides.',
    ],
    [
      "whose decoder corrects no mask",
      (manifest: Manifest): object =>
        JSON.parse(JSON.stringify(manifest).replace('"priorMasks"', '"priors"')),
      'No input of region-decoder.onnx has the role "priorMasks" in the manifest.',
    ],
  ] as const)("is refused with a manifest %s", async (_, change, message) => {
    const path = join(folder, "manifest.json");
    const whole = await readFile(path, "utf8");
    onTestFinished(() => writeFile(path, whole));
    await writeFile(path, JSON.stringify(change(JSON.parse(whole))));
    const refusal: unknown = await loadModel(folder).then(
      (other) => other.close(),
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(ModelFolderError);
    expect(String(refusal)).toContain(message);
  });
});
