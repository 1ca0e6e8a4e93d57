import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ensureBuiltin } from "../../../src/models/fetch/ensure-builtin.ts";
import { ModelFolderError } from "../../../src/models/errors.ts";
import { loadModel } from "../../../src/models/load.ts";
import type { Instance, Model, Picture } from "../../../src/models/model.ts";
import { cosine } from "../../../src/models/arithmetic.ts";
import { ask, blue, expectOverlap, green, picture as drawn, red, redBelow, SIZE } from "../fixture-scene.ts";
import type { Rectangle } from "../sam3/fixture-folder.ts";
import { type FolderChanges, fixtureFolder, scoreOf } from "./fixture.ts";
import { isLong } from "../../support/form.ts";

const DOWNLOAD_MS = 600_000;

let builtin: string;
let scratch: string;
let made = 0;
beforeAll(async () => {
  builtin = await ensureBuiltin();
  scratch = await mkdtemp(join(tmpdir(), "grounding-dino-"));
}, DOWNLOAD_MS);
afterAll(() => rm(scratch, { recursive: true }));

function folder(changes: FolderChanges = {}): Promise<string> {
  made += 1;
  return fixtureFolder(join(scratch, `${made}`), builtin, changes);
}

/** With a digest, so that the model remembers its features: SAM 2's encoder takes seconds. */
const picture = { ...drawn, contentHash: "a".repeat(64) };
/** Between the scores of the red objects: one of them is faint. */
const detection = { floor: scoreOf(1.25), faintFloor: 0.2, nmsIou: 0.7, maxBoxes: 100 };

/** Compares the box up to the grid's resolution; the mask is SAM 2's. */
function expectFound(found: Instance | undefined, of: Picture, rectangle: Rectangle, score: number): void {
  expectOverlap(found, of, rectangle, score, { box: 0.93, mask: 0.9 });
}

describe("Grounding DINO with SAM 2", () => {
  let model: Model;
  beforeAll(async () => {
    // The self-test of exports, below, finds the golden picture's object.
    const manifest = ({ golden }: Record<string, unknown>) => ({
      detection,
      golden: { ...Object(golden), threshold: 1, instances: [] },
    });
    model = await loadModel(await folder({ manifest }), { threads: 2 });
  });
  afterAll(() => model.close());

  it("finds each prompt's objects in a picture, and nothing for other prompts", async () => {
    const { instances, unserved } = await model.segment(
      picture,
      ask("green", "a cat", "The RED one", "blue"),
    );
    expect(instances.map(({ promptIndex }) => promptIndex)).toEqual([0, 2, 3]);
    expect(unserved).toEqual([]);
    expectFound(instances[0], picture, green, scoreOf(0.5));
    expectFound(instances[1], picture, redBelow, scoreOf(0));
    expectFound(instances[2], picture, blue, scoreOf(1));
  });

  it("converts only its prompts' tokens to BigInts, for any number of prompts", async () => {
    const converted = vi.spyOn(BigInt64Array, "from");
    onTestFinished(() => converted.mockRestore());
    await model.segment({ ...picture, contentHash: null }, ask("nothing", "nobody", "nowhere"));
    const lengths = converted.mock.results.map(({ value }) => value.length);
    expect(lengths.length).toBeGreaterThan(0);
    expect(Math.max(...lengths)).toBeLessThan(20);
  });

  it("returns faint objects if they are wanted, best first, and not otherwise", async () => {
    const request = { ...ask("red"), threshold: 0 };
    const { instances } = await model.segment(picture, { ...request, withFaint: true });
    expect(instances.map(({ faint }) => faint)).toEqual([false, true]);
    expectFound(instances[0], picture, redBelow, scoreOf(0));
    expectFound(instances[1], picture, red, scoreOf(1.5));
    expect((await model.segment(picture, request)).instances).toHaveLength(1);
  });

  it("takes a prompt with full stops and question marks as one phrase", async () => {
    for (const prompt of ["green.", "is it green?", "no. 1 green ..."]) {
      const { instances } = await model.segment(picture, ask(prompt));
      expect(instances, prompt).toHaveLength(1);
    }
  });

  it.runIf(isLong)(
    "keeps a picture open to draw undetected objects, and recognizes objects by appearance",
    async () => {
      const { instances, open } = await model.segment(picture, { ...ask("green"), keepOpen: true });
      const [found = expect.fail()] = instances;
      using kept = open ?? expect.fail();
      const prior = { ...found.mask, logits: new Float32Array(found.mask.logits.length).fill(-10) };
      const [x1, y1, x2, y2] = blue.map((side, at) => (side * 256) / (SIZE[at % 2] ?? 1));
      for (const cell of prior.logits.keys()) {
        const [x, y] = [cell % 256, Math.floor(cell / 256)];
        if (x >= (x1 ?? 0) && x < (x2 ?? 0) && y >= (y1 ?? 0) && y < (y2 ?? 0)) prior.logits[cell] = 10;
      }
      const [again = expect.fail()] = await kept.draw([{ box: blue, prior }]);
      expectFound({ ...found, ...again, box: blue }, picture, blue, found.score);
      expect(cosine(again.appearance ?? expect.fail(), found.appearance ?? expect.fail())).toBeLessThan(0.9);
    },
  );

  it("cuts a prompt that is longer than its context, and keeps the phrase's end", async () => {
    const { instances } = await model.segment(picture, ask(`green ${"long ".repeat(400)}`));
    expect(instances).toHaveLength(1);
  });

  it("leaves out objects below the request's threshold", async () => {
    const { instances } = await model.segment(picture, { ...ask("red", "blue"), threshold: scoreOf(0.7) });
    expect(instances.map(({ promptIndex }) => promptIndex)).toEqual([0]);
  });

  it("draws the same mask in an object's box as for that object [A5-10]", async () => {
    const { instances } = await model.segment(picture, ask("green"));
    const box = instances[0]?.box ?? expect.fail();
    const { regions } = await model.segment(picture, { ...ask(), regions: [{ box }] });
    expect(regions?.map(({ mask }) => mask)).toEqual([instances[0]?.mask]);
  });

  it("remembers each prompt's boxes of a picture", async () => {
    expect((await model.segment(picture, ask("red things"))).featuresCached).toBe(false);
    const again = await model.segment(picture, ask("red things"));
    expect(again.featuresCached).toBe(true);
    expectFound(again.instances[0], picture, redBelow, scoreOf(0));
  });
});

describe("an export of Grounding DINO", () => {
  it.runIf(isLong)(
    "of half precision, with rows of a fixed length, padding and bars masked, finds the golden picture's object",
    async () => {
      const manifest = (whole: object): object => letterboxed(halves(whole));
      const path = await folder({ tokens: 256, floats: "float16", manifest });
      const model = await loadModel(path, { threads: 2 });
      expect(model.provider).toBe("cpu");
      await model.close();
    },
  );

  it.each<readonly [string, FolderChanges, string]>([
    [
      "an input is renamed",
      { renamed: { pixel_mask: "mask" } },
      'grounding-dino.onnx has no input "pixel_mask" (the manifest\'s "content"); its inputs are',
    ],
    [
      "an output is missing",
      { without: "pred_boxes" },
      'grounding-dino.onnx has no output "pred_boxes" (the manifest\'s "boxes"); its outputs are "logits".',
    ],
    [
      "a tensor has another type",
      { retyped: { input_ids: "int32" } },
      'The input "input_ids" of grounding-dino.onnx is int32 [batch, tokens]; the manifest says int64 [batch, tokens].',
    ],
    [
      "the manifest gives a tensor a role that is unknown there",
      { manifest: (whole) => replaced(whole, '"role":"types"', '"role":"kinds"') },
      'No input of grounding-dino.onnx has the role "types" in the manifest.',
    ],
    [
      "its tokenizer ends phrases otherwise",
      { manifest: (whole) => replaced(whole, '"stop":1012', '"stop":29612') },
      'it encodes "a." as [101, 1037, 1012, 102] instead of [101, …, 29612, 102].',
    ],
    [
      "a graph of the manifest is not among its files",
      { manifest: (whole) => replaced(whole, '"file":"sam2-encoder.onnx"', '"file":"sam2.ort"') },
      "sam2.ort is not listed in files",
    ],
  ])("is refused when %s", async (_, changes, sentence) => {
    const loading = loadModel(await folder(changes));
    await expect(loading).rejects.toThrow(ModelFolderError);
    await expect(loading).rejects.toThrow(sentence);
  });

  it("is refused with weights beside a graph that the manifest doesn't list", async () => {
    const path = await folder();
    await writeFile(join(path, "grounding-dino.onnx_data"), "weights");
    await expect(loadModel(path)).rejects.toThrow("grounding-dino.onnx_data in");
  });
});

function replaced(whole: object, from: string, to: string): object {
  const text = JSON.stringify(whole);
  expect(text).toContain(from);
  return JSON.parse(text.replace(from, to));
}

function letterboxed(whole: object): object {
  return replaced(whole, '"fit":"stretch"', '"fit":"letterbox"');
}

/** The detector's float tensors as in a half-precision export. */
function halves(whole: object): object {
  const pixels = replaced(whole, '"pixel_values","dtype":"float32"', '"pixel_values","dtype":"float16"');
  const logits = replaced(pixels, '"logits","dtype":"float32"', '"logits","dtype":"float16"');
  return replaced(logits, '"pred_boxes","dtype":"float32"', '"pred_boxes","dtype":"float16"');
}
