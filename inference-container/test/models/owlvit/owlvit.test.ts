import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { describeExport } from "../../../../scripts/models/describe.ts";
import { sigmoid } from "../../../src/models/arithmetic.ts";
import { confidenceOf } from "../../../src/models/confidence.ts";
import { ModelFolderError } from "../../../src/models/errors.ts";
import { ensureBuiltin } from "../../../src/models/fetch/ensure-builtin.ts";
import { loadModel } from "../../../src/models/load.ts";
import { Golden } from "../../../src/models/manifest.ts";
import type { Model, Picture } from "../../../src/models/model.ts";
import { countRuns } from "../../support/device/count-runs.ts";
import { isLong } from "../../support/form.ts";
import { ask } from "../fixture-scene.ts";
import { sample } from "../samples.ts";
import { exportFolder, NOTHING_GOLDEN, seededExport } from "./export-folder.ts";
import { fixtureExport } from "./fixture-export.ts";

const DOWNLOAD_MS = 600_000;

let builtin: string;
let scratch: string;
let made = 0;
beforeAll(async () => {
  builtin = await ensureBuiltin();
  scratch = await mkdtemp(join(tmpdir(), "owlvit-"));
}, DOWNLOAD_MS);
afterAll(() => rm(scratch, { recursive: true }));

function folder(whole: Uint8Array, change?: Parameters<typeof exportFolder>[3]): Promise<string> {
  made += 1;
  return exportFolder(join(scratch, `${made}`), builtin, whole, change);
}

describe("OWL-ViT with SAM 2, seeded", () => {
  let path: string;
  let model: Model;
  let picture: Picture;
  /** Raw scores, and few boxes, because SAM 2 draws each. */
  const detection = {
    confidence: { offset: 0, slope: 1 },
    floor: 0,
    faintFloor: 0,
    nmsIou: 0.5,
    maxBoxes: 2,
    examples: { confidence: { offset: 0, slope: 1 }, nmsIou: 0.3 },
  };
  beforeAll(async () => {
    const change = (manifest: object) => ({ ...manifest, detection, golden: NOTHING_GOLDEN });
    path = await folder(await seededExport("owlvit"), change);
    model = await loadModel(path, { threads: 2 });
  });
  beforeEach(async () => {
    picture = await sample("chelsea");
  });
  afterAll(() => model.close());

  it.runIf(isLong)(
    "looks at a picture once for all prompts, and not at all for further prompts on it",
    async () => {
      const runs = countRuns();
      const first = await model.segment(picture, { ...ask("cat", "the cat's left ear"), threshold: 0 });
      expect(first.featuresCached).toBe(false);
      expect(runs()).toEqual({
        "image-encoder.onnx": 1,
        "text-encoder.onnx": 2,
        "head.onnx": 1,
        "sam2-encoder.onnx": 1,
        "sam2-decoder.onnx": 1,
      });
      const second = await model.segment(picture, { ...ask("coffee cup"), threshold: 0 });
      expect(second.featuresCached).toBe(true);
      // Neither encoder of pictures, which take nearly all of the time: less than a tenth of the first call's runs of them.
      expect(runs()).toEqual({ "text-encoder.onnx": 1, "head.onnx": 1, "sam2-decoder.onnx": 1 });
    },
  );

  it("reads a prompt once for all pictures", async () => {
    const request = { ...ask("dog"), threshold: 1 };
    await model.segment(picture, request);
    const runs = countRuns();
    await model.segment({ ...picture, contentHash: null }, request);
    expect(runs()).toEqual({ "image-encoder.onnx": 1, "head.onnx": 1 });
  });

  it("gives each prompt the same objects as alone, best first", async () => {
    const together = await model.segment(picture, { ...ask("cat", "dog"), threshold: 0 });
    const alone = await model.segment(picture, { ...ask("dog"), threshold: 0 });
    const ofDog = together.instances.filter(({ promptIndex }) => promptIndex === 1);
    expect(ofDog.map(({ box, score, mask }) => ({ box, score, mask }))).toEqual(
      alone.instances.map(({ box, score, mask }) => ({ box, score: expect.closeTo(score, 5), mask })),
    );
    const scores = ofDog.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  it("draws an object of two prompts once", async () => {
    const { instances } = await model.segment(picture, { ...ask("cat", "Cat"), threshold: 0 });
    const [one, , same] = instances;
    expect(one?.mask).toBeDefined();
    expect(same?.mask).toBe(one?.mask);
  });

  it("finds and draws objects like an example, by a box and by a point", async () => {
    expect(model.findsAlike).toBe(true);
    const examples = [
      [{ box: [40, 30, 300, 280] as const }],
      [{ points: [{ x: 200, y: 150, label: 1 as const }] }],
    ];
    const { alike = [], instances } = await model.segment(picture, { ...ask(), threshold: 0, examples });
    expect(instances).toEqual([]);
    expect(new Set(alike.map(({ exampleIndex }) => exampleIndex))).toEqual(new Set([0, 1]));
    expect(alike.every(({ mask }) => mask.width === 256)).toBe(true);
  });

  it("is refused without the file of its parts' weights", async () => {
    await rename(join(path, "whole.onnx"), join(path, "gone.onnx"));
    onTestFinished(() => rename(join(path, "gone.onnx"), join(path, "whole.onnx")));
    await expect(loadModel(path)).rejects.toThrow(`The model folder ${path} lacks the file whole.onnx.`);
  });
});

describe("an export of OWL-ViT", () => {
  /** A raw score of 0.1, at which the models' own examples list objects, is a confidence of a half. */
  const score = confidenceOf(sigmoid(-1), { offset: Math.log(9), slope: 1 });

  const precisions = [
    ["single", "float32"],
    // Its graphs' halves are read as those of Grounding DINO and SAM 3 are.
    ["half", "float16"],
  ] as const;
  it.each(isLong ? precisions : precisions.slice(0, 1))(
    "of %s precision is described, loads, and finds the golden picture's object",
    async (_, dtype) => {
      const whole = fixtureExport(dtype === "float16" ? { floats: dtype } : {});
      const path = await folder(whole, ({ golden, ...manifest }) => {
        const { instances, ...rest } = Golden.parse(golden);
        const narrow = { boxIou: 0.99, score: 0.001, area: 0.15 };
        return {
          ...manifest,
          golden: { ...rest, tolerance: narrow, instances: [{ ...instances[0], score }] },
        };
      });
      expect(JSON.parse(await readFile(join(path, "manifest.json"), "utf8"))).toMatchObject({
        family: "owlvit-sam2",
        graphs: { image: { inputs: [{ dtype, shape: ["batch", 3, 768, 768] }] } },
        files: expect.arrayContaining([expect.objectContaining({ name: "whole.onnx", role: "weights" })]),
      });
      const model = await loadModel(path, { threads: 2 });
      expect([model.family, model.drawsRegions, model.labels]).toEqual(["owlvit-sam2", true, undefined]);
      await model.close();
    },
  );

  it("is told from one of OWLv2 by the sizes of its tensors", async () => {
    const path = await folder(await seededExport("owlv2"));
    expect(JSON.parse(await readFile(join(path, "manifest.json"), "utf8"))).toMatchObject({
      description: expect.stringContaining("OWLv2"),
      images: { detector: { width: 960, fit: "square" } },
    });
  });

  it("is refused if it mixes words and picture before comparing them", async () => {
    const describing = folder(fixtureExport({ mixed: true }));
    await expect(describing).rejects.toThrow(ModelFolderError);
    await expect(describing).rejects.toThrow(
      'cannot be divided into parts: The graph computes "text_embeds" from "image_embeds", not from its shape alone.',
    );
  });

  it("is refused next to another one", async () => {
    const path = join(scratch, "twice");
    await mkdir(path);
    for (const name of ["again.onnx", "whole.onnx"]) await writeFile(join(path, name), fixtureExport());
    await expect(describeExport(path, { force: false }, new AbortController().signal)).rejects.toThrow(
      `${path} has two exports of OWL-ViT, again.onnx and whole.onnx. Keep one there.`,
    );
  });
});
