import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Usage } from "../../src/device/usage.ts";
import { BuiltinManifest } from "../../src/models/builtin/manifest.ts";
import { GraphSet } from "../../src/models/graph.ts";
import { imageTensor } from "../../src/models/image-tensor.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../src/models/loaded-model.ts";
import { Detector } from "../../src/models/rf-detr/detector.ts";
import { RfDetrManifest } from "../../src/models/rf-detr/manifest.ts";
import { plainMask } from "../support/masks/plain-mask.ts";
import {
  expectSame,
  type Figures,
  filledTemplate,
  fixtures,
  type Masked,
  overlap,
  pictureOf,
  pixelDistance,
  readFigures,
  toleranceOf,
} from "./figures.ts";

interface Categorised extends Masked {
  /** COCO's id of each box's category. */
  readonly categories: readonly number[];
}

const figures = await readFigures<Figures<Categorised>>("rf-detr-seg");
const labels = BuiltinManifest.parse(await filledTemplate("builtin/manifest.json")).vocabulary.labels;

let graphs: GraphSet;
let detector: (threshold: number) => Detector;
beforeAll(async () => {
  const manifest = RfDetrManifest.parse(await filledTemplate("rf-detr-seg/rf-detr-seg.json"));
  graphs = new GraphSet(fixtures("rf-detr-seg"), DEFAULT_LOAD_OPTIONS);
  const graph = await graphs.load({ ...manifest.graphs.detector, file: "model.onnx" });
  detector = (threshold) => {
    const detection = { ...manifest.detection, floor: threshold, faintFloor: threshold };
    return new Detector(graph, { ...manifest, detection }, labels);
  };
});
afterAll(() => graphs.close());

describe("RF-DETR Seg is run as its own code runs it", () => {
  it.each(figures.pictures)("$file: the same pixels, boxes, categories, scores and masks", async (shown) => {
    const picture = await pictureOf(shown);
    for (const theirs of shown.found) {
      const ours = detector(theirs.threshold);
      const tolerance = toleranceOf(picture, ours.input);
      expect(pixelDistance(await imageTensor(picture, ours.input), shown.pixels)).toBeLessThan(
        tolerance.pixels,
      );
      const found = await ours.detect(picture, new Usage());
      for (const [label, { column }] of labels.entries()) {
        const isOf = (_: unknown, i: number): boolean => theirs.categories[i] === column + 1;
        const own = { boxes: theirs.boxes.filter(isOf), scores: theirs.scores.filter(isOf) };
        const same = found.filter((one) => one.label === label);
        expectSame(same, own, picture, theirs.threshold, tolerance);
      }
      for (const [place, runs] of theirs.masks.entries()) {
        const score = theirs.scores[place] ?? Number.NaN;
        const one = found.find((object) => Math.abs(object.score - score) < tolerance.score);
        const mask = one?.mask ?? expect.fail(`Nothing has the score ${score}.`);
        expect(overlap(plainMask(mask, picture.width, picture.height, 0.5), runs)).toBeGreaterThan(
          tolerance.overlap,
        );
      }
    }
  });
});
