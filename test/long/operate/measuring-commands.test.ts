/** The operator's commands that measure: they load the embedded model afresh, or start a separate stack. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureBuiltin } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import {
  exportFolder,
  NOTHING_GOLDEN,
  seededExport,
} from "../../../inference-container/test/models/owlvit/export-folder.ts";
import {
  fixtureFolder,
  quarterScore,
  template,
} from "../../../inference-container/test/models/sam3/fixture-folder.ts";
import { readFigures } from "../../../inference-container/test/reference/figures.ts";
import { catLabels, endsAtCtrlC, models } from "../../support/process/models-command.ts";
import { useSharedStack } from "../../support/stack/shared-stack.ts";

const run = promisify(execFile);

/** Twelve suitcases. */
const PICTURE = 475_678;

describe("the commands that measure", () => {
  let whole: string;
  let scratch: string;
  beforeAll(async () => {
    whole = await ensureBuiltin();
    scratch = await mkdtemp(join(tmpdir(), "measured-"));
  });
  afterAll(() => rm(scratch, { recursive: true }));

  it("models check loads the embedded model and reports its tensors, objects and costs", async () => {
    const { stdout } = await models(["check", whole]);
    expect(stdout).toMatch(/^in +image +bytes +uint8 +\[1, 1024, 1024, 3\]$/m);
    expect(stdout).toMatch(/^out +scores +scores +float32 +\[1, 37629, 90\]$/m);
    expect(stdout).toMatch(/^execution provider +cpu$/m);
    expect(stdout).toMatch(/^peak memory +\d{3,4} MB/m);
    expect(stdout).toMatch(/^golden picture +"cat" on golden\.jpg: \d+ ms, again \d+ ms with .*cached$/m);
    expect(stdout).toMatch(/^0\.\d{3} +\[.*\] +0\.\d{3}$/m);
  });

  /** The labels of one of the sample's pictures. */
  const onePicture = async (): Promise<string> => {
    const labels = JSON.parse(await readFile(join("samples", "labelled", "instances.json"), "utf8"));
    labels.images = labels.images.filter(({ id }: { id: number }) => id === PICTURE);
    labels.annotations = labels.annotations.filter(
      ({ image_id }: { image_id: number }) => image_id === PICTURE,
    );
    const path = join(scratch, "one.json");
    await writeFile(path, JSON.stringify(labels));
    return path;
  };
  it("models evaluate measures the embedded model on labeled pictures, and shows its misses", async () => {
    const [sheet, detections] = [join(scratch, "misses.png"), join(scratch, "found.json")];
    const given = [
      "--pictures",
      join("samples", "labelled", "pictures"),
      "--labels",
      await onePicture(),
      "--sheet",
      sheet,
      "--detections",
      detections,
    ];
    const { stdout, stderr } = await models(["evaluate", whole, "--json", ...given]);
    expect(stderr).toContain("1 of 1 pictures");
    const evaluation = JSON.parse(stdout);
    expect(evaluation).toMatchObject({
      subject: expect.stringMatching(/^builtin \S+ \(builtin\) on cpu$/),
      set: { pictures: 1, categories: 80, objects: 12, crowds: 0 },
      threshold: 0.05,
      notices: [],
      sheet,
    });
    expect(evaluation.maskAp.all.mean).toBeGreaterThan(0.2);
    expect(evaluation.boxes.all.objects).toBe(12);
    expect(evaluation.boxes.all.iou).toBeGreaterThan(0.7);
    expect(evaluation.points.all.objects).toBe(12);
    expect(evaluation.ms.median).toBeGreaterThan(0);
    expect(evaluation.byThreshold).toHaveLength(19);
    const found = JSON.parse(await readFile(detections, "utf8"));
    expect(found).toContainEqual(expect.objectContaining({ image_id: PICTURE, category_id: 33 }));
    expect(await sharp(sheet).metadata()).toMatchObject({ format: "png" });
  });

  it("models describe turns an export into a folder that check takes once its golden values are written in", async () => {
    const folder = await fixtureFolder(join(scratch, "export"), {
      channels: 256,
      queries: 200,
      floats: "float16",
      files: { "vision-encoder.onnx_data": "weights of another name" },
    });
    await rm(join(folder, "manifest.json"));
    await rename(join(folder, "text-encoder.onnx"), join(folder, "words.onnx"));
    const { stdout } = await models(["describe", folder]);
    const committed = await template();
    expect(stdout).toContain(`Recognised: ${String(committed["description"])}`);
    expect(stdout).toMatch(
      /^Filled in: .*float16 for .*pred_logits.*the weights vision-encoder\.onnx_data\.$/m,
    );
    expect(stdout).toContain("Still to do by hand:");

    await expect(models(["check", folder])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("failed its self-test"),
    });
    const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
    manifest.golden = {
      ...manifest.golden,
      prompt: "red",
      instances: [{ box: [200, 160, 300, 220], score: quarterScore(0), area: 6000 / 76_800 }],
    };
    await writeFile(join(folder, "manifest.json"), JSON.stringify(manifest));
    const checked = JSON.parse((await models(["check", folder, "--json"])).stdout);
    expect(checked).toMatchObject({ usable: true, family: "sam3", provider: "cpu" });
    expect(checked.golden.instances).toHaveLength(1);
    expect(checked.signatures.map(({ name }: { name: string }) => name)).toContain("words.onnx");

    await expect(models(["describe", folder])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Use --force to overwrite it"),
    });
    expect((await models(["describe", folder, "--force"])).stdout).toContain("Written: ");
    expect(await readdir(folder)).not.toContainEqual(expect.stringMatching(/^manifest\.json\./));
  });

  it("models calibrate fits the confidences of a folder of owlvit-sam2", async () => {
    const detection = {
      confidence: { offset: 2.197, slope: 1 },
      floor: 0,
      faintFloor: 0,
      nmsIou: 0.5,
      maxBoxes: 24,
    };
    const folder = await exportFolder(
      join(scratch, "owlvit"),
      whole,
      await seededExport("owlvit"),
      (manifest) => ({ ...manifest, detection, golden: NOTHING_GOLDEN }),
    );
    const [file, width, height] = ["chelsea.png", 451, 300];
    const labels = join(scratch, "labels.json");
    // Where the seeded model's best finds are, and nowhere else, there are cats.
    const { pictures } = await readFigures("owlvit");
    const best = pictures[0]?.found[0]?.boxes ?? [];
    const cats = best.map(([x1, y1, x2, y2], i) => {
      const segmentation = [[x1, y1, x2, y1, x2, y2, x1, y2]];
      return { id: i + 1, image_id: 1, category_id: 1, segmentation };
    });
    const images = [{ id: 1, file_name: file, width, height }];
    await writeFile(
      labels,
      JSON.stringify({ images, categories: [{ id: 1, name: "cat" }], annotations: cats }),
    );
    const options = ["--pictures", "samples", "--labels", labels];
    const { stdout } = await models(["calibrate", folder, ...options]);
    const [, finds, right] = /^fitted to (\d+) finds, (\d+) of them right$/m.exec(stdout) ?? [];
    expect([Number(finds), Number(right) > 0, Number(right) <= best.length]).toEqual([24, true, true]);
    const { confidence } = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")).detection;
    expect(stdout).toContain(
      `offset 2.197 → ${confidence.offset}, slope 1 → ${confidence.slope}, written to`,
    );
    expect(confidence.offset).not.toBe(2.197);
  });

  /** The cat's labels for COCO's first 32 categories, all those of the picture, and a word outside every model of 80 nouns. */
  const withSky = async (): Promise<string> => {
    const labels = JSON.parse(await readFile(await catLabels(scratch), "utf8"));
    labels.categories = [...labels.categories.slice(0, 32), { id: 999, name: "sky" }];
    const path = join(scratch, "sky.json");
    await writeFile(path, JSON.stringify(labels));
    return path;
  };
  it("models evaluate asks a running service in jobs of at most 32 prompts, and accepts a job without known prompts", async () => {
    const { baseUrl, apiKey } = await useSharedStack();
    const given = ["--pictures", "samples", "--labels", await withSky(), "--sheet", join(scratch, "api.png")];
    const { stdout } = await models([
      "evaluate",
      "--through-api",
      "--url",
      baseUrl,
      "--key",
      apiKey,
      ...given,
    ]);
    expect(stdout).toContain(`the service at ${baseUrl}`);
    expect(stdout).toMatch(/^mask AP +0\.[2-9]/m);
    expect(stdout).toMatch(/^notice +prompt_outside_vocabulary: .*"sky"/m);
    expect(stdout).not.toContain("IoU in labelled boxes");
  });

  it("models evaluate --through-api ends at Ctrl-C with exit code 130 and leaves neither a process nor a file", () =>
    endsAtCtrlC(whole, scratch, "--through-api"));

  it("bench compares the whole path with the bare model, in one run", async () => {
    // Its times mean nothing, but it takes the same ways as with the embedded model.
    const fixture = await fixtureFolder(join(scratch, "fixture"));
    const { stdout } = await run(process.execPath, [join("scripts", "run.mjs"), "bench", "--pictures", "1"], {
      env: { ...process.env, STATE_DIR: join(scratch, "state"), MODEL_FOLDER: fixture },
    });
    expect(stdout).toMatch(/whole path ÷ bare loop/);
    expect(stdout).not.toContain("NaN");
  });
});
