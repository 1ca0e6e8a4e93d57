import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { calibrate } from "../../../../evaluation/src/calibrate.ts";
import { calibrateCommand, evaluateCommand } from "../../../../evaluation/src/command/arguments.ts";
import { evaluate } from "../../../../evaluation/src/evaluate.ts";
import { AS_IT_IS, confidenceOf } from "../../../src/models/confidence.ts";
import { ensureBuiltin } from "../../../src/models/fetch/ensure-builtin.ts";
import { GraphSet } from "../../../src/models/graph.ts";
import { loadModel } from "../../../src/models/load.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../../src/models/loaded-model.ts";
import type { Model, Picture } from "../../../src/models/model.ts";
import { Detector } from "../../../src/models/rf-detr/detector.ts";
import { RfDetrManifest } from "../../../src/models/rf-detr/manifest.ts";
import { filledTemplate } from "../../reference/figures.ts";
import { countRuns } from "../../support/device/count-runs.ts";
import { ask } from "../fixture-scene.ts";
import { sample } from "../samples.ts";
import { rfDetrFolder } from "./export-folder.ts";
import { fixtureRfDetr } from "./fixture-export.ts";
import { isLong } from "../../support/form.ts";

const DOWNLOAD_MS = 600_000;
/** Words for many labels: the seeded model's categories mean nothing. */
const ANYTHING = ask("animal", "vehicle", "furniture", "food", "person");

let builtin: string;
let scratch: string;
beforeAll(async () => {
  builtin = await ensureBuiltin();
  scratch = await mkdtemp(join(tmpdir(), "rf-detr-"));
}, DOWNLOAD_MS);
afterAll(() => rm(scratch, { recursive: true }));

describe("RF-DETR Seg, seeded", () => {
  let model: Model;
  let picture: Picture;
  beforeAll(async () => {
    model = await loadModel(await rfDetrFolder(join(scratch, "seeded"), builtin), { threads: 2 });
    picture = await sample("chelsea");
  });
  afterAll(() => model.close());

  it("knows the embedded model's words", async () => {
    expect(model.labels).toHaveLength(80);
    const { unserved } = await model.segment(picture, { ...ask("sky"), threshold: 0 });
    expect(unserved).toMatchObject([{ promptIndex: 0, message: expect.stringContaining("knows 80 nouns") }]);
  });

  it("finds and draws the objects of all prompts in one run, without SAM 2", async () => {
    const runs = countRuns();
    const { instances } = await model.segment(picture, { ...ANYTHING, threshold: 0 });
    expect(instances.length).toBeGreaterThan(0);
    expect(runs()).toMatchObject({ "rf-detr-seg.onnx": 1 });
    const again = await model.segment(picture, { ...ask("thing", "dog"), threshold: 0 });
    expect(again.featuresCached).toBe(true);
    expect(Object.keys(runs())).not.toContain("sam2-encoder.onnx");
  });

  it.runIf(isLong)(
    "draws regions by SAM 2, and gives the objects of a frame their appearance to it",
    async () => {
      const region = { points: [{ x: 200, y: 150, label: 1 as const }] };
      const request = { ...ANYTHING, threshold: 0, keepOpen: true, regions: [region] };
      const { instances, open, regions = [] } = await model.segment(picture, request);
      using kept = open;
      expect(kept).toBeDefined();
      expect(regions.map(({ mask }) => [mask.width, mask.height])).toEqual([[256, 256]]);
      expect(instances.every(({ appearance }) => appearance !== undefined)).toBe(true);
    },
  );
});

const Detections = z.array(
  z.object({ image_id: z.int(), category_id: z.int(), segmentation: z.looseObject({}), score: z.number() }),
);

describe("the commands that measure, on a seeded RF-DETR Seg", () => {
  it.runIf(isLong)(
    "evaluate its finds, and calibrate fits its scores, which the next evaluation has",
    async () => {
      const folder = await rfDetrFolder(join(scratch, "measured"), builtin, (manifest) => ({
        ...manifest,
        detection: { ...Object(manifest["detection"]), floor: 0 },
      }));
      const [labels, detections] = [join(scratch, "labels.json"), join(scratch, "found.json")];
      const set = {
        images: [{ id: 1, file_name: "chelsea.png", width: 451, height: 300 }],
        // Of the reference's finds.
        categories: [
          { id: 4, name: "motorcycle" },
          { id: 14, name: "parking meter" },
          { id: 73, name: "laptop" },
        ],
      };
      const evaluated = async (annotations: readonly object[]) => {
        await writeFile(labels, JSON.stringify({ ...set, annotations }));
        const options = { pictures: "samples", labels, detections, threshold: "0" };
        const command = evaluateCommand(folder, { ...options, sheet: join(scratch, "misses.png") });
        const figures = await evaluate(command, new AbortController().signal);
        return { figures, found: Detections.parse(JSON.parse(await readFile(detections, "utf8"))) };
      };
      const { found } = await evaluated([]);
      // Of the surest finds every other is there.
      const surest = found.toSorted((a, b) => b.score - a.score).slice(0, 6);
      const there = surest
        .filter((_, rank) => rank % 2 === 0)
        .map((object, at) => Object.assign({}, object, { id: at + 1 }));
      await writeFile(labels, JSON.stringify({ ...set, annotations: there }));
      const report = await calibrate(calibrateCommand(folder, { pictures: "samples", labels }));
      const again = await evaluated(there);
      const { confidence } = RfDetrManifest.parse(
        JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")),
      ).detection;
      expect(report).toMatchObject({ finds: found.length, right: 3, before: AS_IT_IS, after: confidence });
      expect(confidence).not.toEqual(AS_IT_IS);
      const fitted = surest.map(({ score }) => expect.closeTo(confidenceOf(score, confidence), 4));
      const scores = again.found.map(({ score }) => score).toSorted((one, other) => other - one);
      expect(scores.slice(0, surest.length)).toEqual(fitted);
      const { maskAp, byThreshold, points } = again.figures;
      expect(byThreshold.map(({ threshold }) => threshold)).toContain(0.5);
      expect(maskAp.all.mean).toBeGreaterThan(0);
      expect(points?.all.objects).toBe(3);
    },
  );
});

describe("a folder of RF-DETR Seg is refused", () => {
  it("if it was trained for other classes, or its input has no fixed size", async () => {
    const manifest = RfDetrManifest.parse(await filledTemplate("rf-detr-seg/rf-detr-seg.json"));
    const graphs = new GraphSet(scratch, DEFAULT_LOAD_OPTIONS);
    onTestFinished(() => graphs.close());
    const opened = async (bytes: Uint8Array) =>
      new Detector(await graphs.make(manifest.graphs.detector, bytes), manifest, []);
    await expect(opened(fixtureRfDetr({ classes: 5 }))).rejects.toThrow("rf-detr-seg.onnx has 5 classes.");
    await expect(opened(fixtureRfDetr({ side: "side" }))).rejects.toThrow(
      'The input "input" of rf-detr-seg.onnx has no fixed height and width.',
    );
  });

  it("if its manifest leaves out a file of the embedded model", async () => {
    const path = await rfDetrFolder(join(scratch, "less"), builtin, ({ files, ...rest }) => ({
      ...rest,
      files: Array.isArray(files) ? files.filter(({ name }) => name !== "nouns.tsv") : [],
    }));
    await expect(loadModel(path)).rejects.toThrow("nouns.tsv, which embedded.json uses, is not listed");
  });
});
