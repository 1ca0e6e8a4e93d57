import type { Corners } from "@segmentation/masks";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Usage } from "../../src/device/usage.ts";
import { ClipTokenizer } from "../../src/models/text/clip-tokenizer.ts";
import { AS_IT_IS, confidenceOf } from "../../src/models/confidence.ts";
import { GraphSet } from "../../src/models/graph.ts";
import { imageTensor } from "../../src/models/image-tensor.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../src/models/loaded-model.ts";
import { Detector } from "../../src/models/owlvit/detector.ts";
import { divideOwlvit } from "../../src/models/owlvit/divide.ts";
import { OwlvitManifest } from "../../src/models/owlvit/manifest.ts";
import { wantedBoxes } from "../../src/models/sam2/queries.ts";
import {
  expectSame,
  type Figures,
  filledTemplate,
  fixtures,
  type Found,
  type PictureFigures,
  pictureOf,
  pixelDistance,
  toleranceOf,
  readFigures,
  type TokenRow,
} from "./figures.ts";

interface Detections extends Found {
  /** The lowest score of a result. */
  readonly threshold: number;
  /** The places of the boxes that torchvision's NMS keeps. */
  readonly kept: readonly number[];
}

interface MaskedRow extends TokenRow {
  /** 1 for a token of the text, 0 for padding. */
  readonly mask: readonly number[];
}

interface Alike extends Found {
  /** The boxes of the examples, in picture pixels. */
  readonly examples: readonly Corners[];
  readonly threshold: number;
}

interface DetectorFigures extends Figures<Detections, MaskedRow> {
  readonly nmsIou: number;
  readonly pictures: readonly (PictureFigures<Detections> & { readonly alike: readonly Alike[] })[];
}

/** The threshold of both models' documentation. */
const DOCUMENTED_THRESHOLD = 0.1;
/** The API's. */
const DEFAULT_THRESHOLD = 0.5;

describe.each([
  ["OWL-ViT", "owlvit"],
  ["OWLv2", "owlv2"],
])("%s is run as its own code runs it", async (_, kind) => {
  const figures = await readFigures<DetectorFigures>(kind);
  let folder: string;
  let manifest: OwlvitManifest;
  let graphs: GraphSet;
  let parts: ConstructorParameters<typeof Detector>[0];
  let tokenizer: ClipTokenizer;
  beforeAll(async () => {
    manifest = OwlvitManifest.parse(await filledTemplate(`owlvit-sam2/${kind}-base.json`));
    folder = await mkdtemp(join(tmpdir(), "owlvit-reference-"));
    for (const file of ["model.onnx", "tokenizer.json"])
      await copyFile(join(fixtures(kind), file), join(folder, file));
    await divideOwlvit(folder, "model.onnx");
    tokenizer = await ClipTokenizer.load(folder, manifest.text);
    graphs = new GraphSet(folder, DEFAULT_LOAD_OPTIONS);
    parts = {
      image: await graphs.load(manifest.graphs.image),
      text: await graphs.load(manifest.graphs.text),
      head: await graphs.load(manifest.graphs.head),
    };
  });
  afterAll(async () => {
    await graphs.close();
    await rm(folder, { recursive: true });
  });

  it.each(figures.tokens)("$prompt: the same tokens", ({ prompt, ids, mask }) => {
    expect(tokenizer.encode(prompt)).toEqual({ ids, count: mask.reduce((sum, one) => sum + one, 0) });
  });

  const detector = (faintFloor: number, nmsIou: number): Detector => {
    const detection = { confidence: AS_IT_IS, floor: 0, faintFloor, nmsIou, maxBoxes: 4_000 };
    return new Detector(parts, tokenizer, { ...manifest, detection }, 0);
  };

  it.each(figures.pictures)("$file: the same pixels, boxes and scores", async (shown) => {
    const picture = await pictureOf(shown);
    const input = await imageTensor(picture, manifest.images.detector);
    const tolerance = toleranceOf(picture, manifest.images.detector);
    expect(pixelDistance(input, shown.pixels)).toBeLessThan(tolerance.pixels);
    const prompts = shown.found.map(({ prompt }) => prompt);
    using seen = await detector(0, 1).look(picture, new Usage());
    for (const [place, { boxes, scores, kept, threshold }] of shown.found.entries()) {
      const found = async (nmsIou: number) =>
        (await detector(threshold, nmsIou).detect(picture, seen, prompts, new Usage()))[place] ?? [];
      expectSame(await found(1), { boxes, scores }, picture, threshold, tolerance);
      const left = {
        boxes: boxes.filter((__, i) => kept.includes(i)),
        scores: scores.filter((__, i) => kept.includes(i)),
      };
      expectSame(await found(figures.nmsIou), left, picture, threshold, tolerance);
    }
  });

  it.each(figures.pictures)("$file: the same objects like one example, and like two", async (shown) => {
    const picture = await pictureOf(shown);
    using seen = await detector(0, 1).look(picture, new Usage());
    for (const { examples, threshold, ...theirs } of shown.alike) {
      const confidence = { confidence: AS_IT_IS, nmsIou: 1 };
      const limits = { faintFloor: threshold, maxBoxes: 4_000, examples: confidence };
      const detection = { ...manifest.detection, ...confidence, ...limits };
      const ours = new Detector(parts, tokenizer, { ...manifest, detection }, 0);
      const [found = []] = await ours.detectAlike(picture, seen, [examples], new Usage());
      expectSame(found, theirs, picture, threshold, toleranceOf(picture, manifest.images.detector));
    }
  });

  it("a default job has all that its own code lists at the documented threshold", async () => {
    const { detection } = manifest;
    for (const shown of figures.pictures) {
      const picture = await pictureOf(shown);
      const prompts = shown.found.map(({ prompt }) => prompt);
      const ours = new Detector(parts, tokenizer, { ...manifest, detection: { ...detection, nmsIou: 1 } }, 0);
      using seen = await ours.look(picture, new Usage());
      const found = await ours.detect(picture, seen, prompts, new Usage());
      for (const [place, { scores }] of shown.found.entries()) {
        const listed = scores.filter((score) => score >= DOCUMENTED_THRESHOLD).slice(0, detection.maxBoxes);
        const request = { threshold: DEFAULT_THRESHOLD, withFaint: false };
        const given = wantedBoxes([found[place] ?? []], request, detection);
        expect(given.length).toBeGreaterThanOrEqual(
          listed.length - scores.filter((score) => Math.abs(score - DOCUMENTED_THRESHOLD) < 0.01).length,
        );
      }
    }
  });
});

describe("the default threshold", () => {
  // Of OWL-ViT B/32 on the photograph of an astronaut, and of OWLv2 B/16 on one of two cats.
  it.each([
    ["owlvit", [0.357, 0.281, 0.211, 0.138, 0.12, 0.106]],
    ["owlv2", [0.665, 0.614]],
  ])("keeps every detection in the documentation of %s", async (kind, published) => {
    const { detection } = OwlvitManifest.parse(await filledTemplate(`owlvit-sam2/${kind}-base.json`));
    const confidences = published.map((score) => confidenceOf(score, detection.confidence));
    expect(Math.min(...confidences)).toBeGreaterThan(DEFAULT_THRESHOLD);
    expect(confidenceOf(0.05, detection.confidence)).toBeLessThan(DEFAULT_THRESHOLD);
  });
});
