import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ensureBuiltin } from "../../inference-container/src/models/fetch/ensure-builtin.ts";
import { GroundingDinoManifest } from "../../inference-container/src/models/grounding-dino/manifest.ts";
import { plantedFolder as plantedDinoFolder } from "../../inference-container/test/models/grounding-dino/planted.ts";
import {
  plantedFolder,
  quarterScore,
  template,
} from "../../inference-container/test/models/sam3/planted-folder.ts";
import { useSharedStack } from "../support/node/shared-stack.ts";
import { findMarked } from "../../scripts/shared/marked-processes.ts";
import { endsAtCtrlC, models } from "../support/node/models-command.ts";

describe("the models command", () => {
  let whole: string;
  let scratch: string;
  let made = 0;
  beforeAll(async () => {
    whole = await ensureBuiltin();
    scratch = await mkdtemp(join(tmpdir(), "models-"));
  });
  afterAll(() => rm(scratch, { recursive: true }));

  /** A folder under the scratch folder that lacks one file of the embedded model. */
  const without = async (lacking: string): Promise<string> => {
    made += 1;
    const folder = join(scratch, `${made}`, "builtin-1.2.0");
    await mkdir(folder, { recursive: true });
    for (const name of await readdir(whole))
      if (name !== lacking) await symlink(join(whole, name), join(folder, name));
    return folder;
  };

  it("check refuses a folder that lacks a file, and one that isn't there, with exit code 1", async () => {
    const lacking = await without("nouns.tsv");
    await expect(models(["check", lacking])).rejects.toMatchObject({
      code: 1,
      stdout: "",
      stderr: `The model folder ${lacking} lacks the file nouns.tsv.\n`,
    });
    const nowhere = models(["check", join(scratch, "nowhere"), "--json"]);
    const error: { code: number; stdout: string } = await nowhere.then(
      () => expect.fail("It was not refused."),
      (failure) => failure,
    );
    expect(error.code).toBe(1);
    expect(JSON.parse(error.stdout)).toMatchObject({
      usable: false,
      error: expect.stringContaining("it has no manifest.json"),
    });
  });

  it("check refuses a file whose bytes are not the manifest's", async () => {
    const folder = await without("nouns.tsv");
    const nouns = await readFile(join(whole, "nouns.tsv"), "utf8");
    await writeFile(join(folder, "nouns.tsv"), nouns.replace("taxi\t2", "taxi\t3"));
    const checked = models(["check", folder]);
    await expect(checked).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("is damaged") });
  });

  it("check ends at Ctrl-C with exit code 130 and leaves no process behind", async () => {
    const mark = { MODELS_TEST: randomUUID() };
    const checking = models(["check", whole], mark);
    const ended = expect(checking).rejects.toMatchObject({ code: 130 });
    await vi.waitUntil(() => findMarked(mark).length === 2, { timeout: 150_000 });
    checking.child.kill("SIGINT");
    await ended;
    await vi.waitUntil(() => findMarked(mark).length === 0, { timeout: 150_000 });
  });

  /** Labels of a picture that other tests have, too: a new one costs seconds. The cat's outline is nearly this rectangle. */
  const onePicture = async (): Promise<string> => {
    const { categories } = JSON.parse(await readFile(join("samples", "labelled", "instances.json"), "utf8"));
    const { id } = categories.find(({ name }: { name: string }) => name === "cat");
    const segmentation = [[0, 0, 400, 0, 400, 300, 0, 300]];
    const labels = {
      images: [{ id: 1, file_name: "chelsea.png", width: 451, height: 300 }],
      categories,
      annotations: [{ id: 1, image_id: 1, category_id: id, segmentation }],
    };
    const path = join(scratch, "one.json");
    await writeFile(path, JSON.stringify(labels));
    return path;
  };
  /** The same labels for COCO's first 32 categories, all those of the picture, and one that no model of 80 nouns knows. */
  const withSky = async (): Promise<string> => {
    const labels = JSON.parse(await readFile(await onePicture(), "utf8"));
    labels.categories = [...labels.categories.slice(0, 32), { id: 999, name: "sky" }];
    const path = join(scratch, "sky.json");
    await writeFile(path, JSON.stringify(labels));
    return path;
  };
  const samplePictures = ["--pictures", "samples"];

  it("evaluate asks a running service as its clients do, in jobs of at most 32 prompts; a job of none that the model knows is an answer too", async () => {
    const { baseUrl, apiKey } = await useSharedStack();
    const given = [...samplePictures, "--labels", await withSky(), "--sheet", join(scratch, "api.png")];
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

  it("evaluate says what is wrong with a folder, a service or the labels, and exits with 1", async () => {
    const labels = await onePicture();
    const refused = async (...args: string[]): Promise<string> => {
      const failure = models(["evaluate", ...args]).then(() => expect.fail("It was not refused."));
      await expect(failure).rejects.toMatchObject({ code: 1, stdout: "" });
      return await failure.catch(({ stderr }) => String(stderr));
    };
    const nowhere = join(scratch, "nowhere");
    const service = ["--through-api", "--url", "http://127.0.0.1:9", "--key", "sk_live_x"];
    const [noModel, noPictures, noService] = await Promise.all([
      refused(nowhere),
      refused(whole, "--pictures", scratch, "--labels", labels),
      refused(...service),
    ]);
    expect(noModel).toContain(`There is no model in ${nowhere}`);
    expect(noPictures).toContain("lacks 1 of the 1 pictures");
    expect(noService).toMatch(/^the service at http:\/\/127\.0\.0\.1:9 cannot be reached/m);
  });

  // With --through-api, which starts a stack: test/long/measuring-commands.test.ts.
  it("evaluate ends at Ctrl-C with exit code 130 and leaves neither a process nor a file", () =>
    endsAtCtrlC(whole, scratch));

  it("list names each folder with its licences, and what is missing in which", async () => {
    const lacking = await without("minilm.onnx");
    const root = join(lacking, "..");
    await symlink(whole, join(root, "builtin-whole"));
    await mkdir(join(root, "empty"));
    await mkdir(join(root, ".builtin-staging"));
    const { stdout } = await models(["list"], { MODEL_DIR: root });
    expect(stdout).toMatch(
      /^builtin +1\.2\.0 +builtin +Apache-2\.0, WordNet.* \d+ +complete +.*builtin-whole$/m,
    );
    expect(stdout).toMatch(/^builtin +1\.2\.0 +builtin .* unusable +.*builtin-1\.2\.0$/m);
    expect(stdout).toContain(`The model folder ${lacking} lacks the file minilm.onnx.`);
    expect(stdout).toContain(`There is no model in ${join(root, "empty")}`);
    expect(stdout).not.toContain("staging");
    expect(stdout).toContain("Known families: builtin, grounding-dino-sam2, kserve, owlvit-sam2, sam3");
  });

  it("list of no folder says how to get one", async () => {
    const { stdout } = await models(["list"], { MODEL_DIR: join(scratch, "none") });
    expect(stdout).toContain("npm run models -- fetch builtin");
  });

  it("fetch builtin finds the embedded model where it is and prints its folder", async () => {
    const { stdout } = await models(["fetch", "builtin"]);
    expect(stdout).toBe(`${whole}\n`);
  });

  it("describe turns an export into a folder that check takes once its golden values are written in", async () => {
    const folder = await plantedFolder(join(scratch, "export"), {
      channels: 256,
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

  it("describe distinguishes Grounding DINO with SAM 2 from SAM 3", async () => {
    const folder = await plantedDinoFolder(join(scratch, "dino"), whole);
    await rm(join(folder, "manifest.json"));
    const { stdout } = await models(["describe", folder]);
    expect(stdout).toContain("Recognised: Grounding DINO");
    const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
    expect(manifest).toMatchObject({
      family: "grounding-dino-sam2",
      graphs: { encoder: { file: "sam2-encoder.ort" } },
    });
    expect(GroundingDinoManifest.safeParse(manifest).error).toBeUndefined();
  });

  // What it fits: test/long/measuring-commands.test.ts.
  it("calibrate refuses a family that has no confidence to fit", async () => {
    const folder = await plantedFolder(join(scratch, "no-confidence"));
    const options = [...samplePictures, "--labels", await onePicture()];
    await expect(models(["calibrate", folder, ...options])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is of the family sam3, whose manifest has no confidence to fit."),
    });
  });

  it("describe refuses graphs that no template has, by the names of their tensors, and writes nothing", async () => {
    const folder = await plantedFolder(join(scratch, "other"), {
      renamed: { input_ids: "words" },
    });
    await rm(join(folder, "manifest.json"));
    await expect(models(["describe", folder])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("text-encoder.onnx: words, attention_mask → text_features, text_mask"),
    });
    expect(await readdir(folder)).not.toContain("manifest.json");
  });

  it("describe says which file is still missing beside the graphs", async () => {
    const folder = await plantedFolder(join(scratch, "bare"));
    await rm(join(folder, "manifest.json"));
    await rm(join(folder, "tokenizer.json"));
    await expect(models(["describe", folder])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /lacks the file tokenizer\.json\. See what belongs in the folder: .*README\.md/,
      ),
    });
  });

  it("has a help, and refuses what it can't understand with exit code 2", async () => {
    expect((await models(["--help"])).stdout).toContain("npm run models -- describe FOLDER");
    await expect(models([])).rejects.toMatchObject({ code: 2 });
    await expect(models(["make-coffee"])).rejects.toMatchObject({ code: 2 });
  });
});
