import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Usage } from "../../src/device/usage.ts";
import { AS_IT_IS, confidenceOf } from "../../src/models/confidence.ts";
import { ensureBuiltin } from "../../src/models/fetch/ensure-builtin.ts";
import { type Graph, GraphSet } from "../../src/models/graph.ts";
import { Detector } from "../../src/models/grounding-dino/detector.ts";
import { GroundingDinoManifest } from "../../src/models/grounding-dino/manifest.ts";
import { PhraseTokenizer } from "../../src/models/grounding-dino/tokenizer.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../src/models/loaded-model.ts";
import { isLong } from "../support/form.ts";
import {
  expectSame,
  type Figures,
  filledTemplate,
  fixtures,
  type Found,
  pictureOf,
  pixelDistance,
  toleranceOf,
  readFigures,
} from "./figures.ts";

interface Detections extends Found {
  /** The places of the boxes that torchvision's NMS keeps. */
  readonly kept: readonly number[];
}

interface DetectorFigures extends Figures<Detections> {
  /** The lowest score of a result. */
  readonly threshold: number;
  readonly nmsIou: number;
}

const DOWNLOAD_MS = 600_000;

const figures = await readFigures<DetectorFigures>("grounding-dino");
const manifest = GroundingDinoManifest.parse(await filledTemplate("grounding-dino-sam2/onnx-community.json"));

let graphs: GraphSet;
let graph: Graph;
let tokenizer: PhraseTokenizer;
beforeAll(async () => {
  tokenizer = await PhraseTokenizer.load(await ensureBuiltin(), manifest.text);
  graphs = new GraphSet(fixtures("grounding-dino"), DEFAULT_LOAD_OPTIONS);
  graph = await graphs.load({ ...manifest.graphs.detector, file: "model.onnx" });
}, DOWNLOAD_MS);
afterAll(() => graphs.close());

/** The adapter's detector, which leaves out boxes that overlap a better one by more than `nmsIou`. */
function detector(nmsIou: number): Detector {
  const limits = { faintFloor: figures.threshold, nmsIou, maxBoxes: 900 };
  const detection = { ...manifest.detection, confidence: AS_IT_IS, ...limits };
  return new Detector(graph, tokenizer, { ...manifest, detection });
}

describe("Grounding DINO is run as its own code runs it", () => {
  it.each(figures.tokens)("$prompt: the same tokens", ({ prompt, ids }) => {
    expect(tokenizer.encode(prompt)).toEqual(ids);
  });

  it.each(figures.pictures)("$file: the same pixels, boxes and scores", async (shown) => {
    const picture = await pictureOf(shown);
    const prepared = await detector(1).prepare(picture);
    const tolerance = toleranceOf(picture, manifest.images.detector);
    expect(pixelDistance(prepared, shown.pixels)).toBeLessThan(tolerance.pixels);
    for (const [at, { prompt, boxes, scores, kept }] of shown.found.entries()) {
      const all = await detector(1).detect(picture, prepared, prompt, new Usage());
      expectSame(all, { boxes, scores }, picture, figures.threshold, tolerance);
      // NMS is the same for each prompt.
      if (at > 0 && !isLong) continue;
      const best = await detector(figures.nmsIou).detect(picture, prepared, prompt, new Usage());
      const left = {
        boxes: boxes.filter((_, i) => kept.includes(i)),
        scores: scores.filter((_, i) => kept.includes(i)),
      };
      expectSame(best, left, picture, figures.threshold, tolerance);
    }
  });
});

it("the default threshold keeps the finds that the documentation of grounding-dino-tiny shows", () => {
  const published = [0.4785, 0.4776, 0.4381];
  const confidences = published.map((score) => confidenceOf(score, manifest.detection.confidence));
  expect(Math.min(...confidences)).toBeGreaterThan(0.5);
  expect(confidenceOf(0.35, manifest.detection.confidence)).toBeLessThan(0.5);
});
