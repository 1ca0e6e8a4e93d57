import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ensureBuiltin } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { fileDigest } from "../../../inference-container/src/models/folder.ts";
import { fixtureWords } from "../../../inference-container/test/models/grounding-dino/fixture-words.ts";
import { fixtureRfDetr } from "../../../inference-container/test/models/rf-detr/fixture-export.ts";
import { fixtureExport } from "../../../inference-container/test/models/owlvit/fixture-export.ts";
import { sam3Folder } from "../../../inference-container/test/models/sam3/export-folder.ts";
import { fixtures } from "../../../inference-container/test/reference/figures.ts";
import { FakeHub } from "../../../inference-container/test/support/fake-hub.ts";
import { type ApiClient, createClient } from "../../../scripts/shared/api-client.ts";
import { only, present } from "../../support/at.ts";
import { maskPixels, sample } from "../../support/media/sample.ts";
import { spawnStack } from "../../support/stack/spawn-stack.ts";

const run = promisify(execFile);
const DINO = "onnx-community/grounding-dino-tiny-ONNX";
const OWL = "Xenova/owlvit-base-patch32";
const OWL_2 = "Xenova/owlv2-base-patch16-ensemble";

describe("installing a model", () => {
  let scratch: string;
  let hub: FakeHub;
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), "install-"));
    const tokenizer = await readFile(join(await ensureBuiltin(), "tokenizer.json"));
    hub = await FakeHub.start({
      [DINO]: { "onnx/model.onnx": fixtureWords(), "tokenizer.json": tokenizer },
      "besit/rfdetr-onnx": { "rfdetr-seg-nano.onnx": fixtureRfDetr() },
      [OWL]: {
        "onnx/model.onnx": fixtureExport(),
        "tokenizer.json": await readFile(join(fixtures("owlvit"), "tokenizer.json")),
      },
      [OWL_2]: {
        "onnx/model.onnx": fixtureExport({ kind: "owlv2" }),
        "tokenizer.json": await readFile(join(fixtures("owlv2"), "tokenizer.json")),
      },
    });
  });
  afterAll(async () => {
    await hub[Symbol.asyncDispose]();
    await rm(scratch, { recursive: true });
  });

  /** A machine with the embedded model alone: its folder of models. */
  const machine = async (): Promise<string> => {
    const root = await mkdtemp(join(scratch, "models-"));
    const builtin = await ensureBuiltin();
    await symlink(builtin, join(root, basename(builtin)));
    return root;
  };
  const models = (root: string, ...args: string[]) =>
    run(process.execPath, [join("evaluation", "src", "command", "models.ts"), ...args], {
      env: { ...process.env, MODEL_DIR: root, HF_ENDPOINT: hub.url },
    });
  const folders = async (root: string): Promise<string[]> =>
    (await readdir(root)).filter((name) => !name.includes(".lock") && !name.startsWith("builtin-"));

  /** The digest and the name of each file of a model's folder. */
  const digests = async (root: string, model: string) => {
    const folder = join(root, model);
    const names = (await readdir(folder)).toSorted();
    return Promise.all(names.map(async (name) => `${await fileDigest(join(folder, name))} ${name}`));
  };

  it("divides an export of OWL-ViT, and makes the same parts on another machine from its manifest", async () => {
    const [root, other] = [await machine(), await machine()];
    const { stdout } = await models(root, "install", "owlvit-base", "--accept-licence");
    expect(stdout).toContain("MODEL_FOLDER=owlvit-base npm start");
    const manifest = join(root, "owlvit-base", "manifest.json");
    const { files } = JSON.parse(await readFile(manifest, "utf8"));
    const sources = files.map((file: { name: string; source?: { path: string } }) => [
      file.name,
      file.source?.path,
    ]);
    expect(sources).toEqual(
      expect.arrayContaining([
        ["owlvit-base.onnx", "onnx/model.onnx"],
        ["head.onnx", undefined],
      ]),
    );
    await models(other, "install", "--from", manifest, "--accept-licence");
    expect(await digests(other, "owlvit-base")).toEqual(await digests(root, "owlvit-base"));
  });

  /** Starts a stack that serves a folder of `root`, and stops it after `use`. */
  const served = async (
    root: string,
    model: string,
    use: (client: ApiClient, describeModel: () => Promise<unknown>) => Promise<void>,
  ): Promise<void> => {
    const stack = await spawnStack({
      stateDir: join(scratch, `state-${model}`),
      env: { MODEL_DIR: root, MODEL_FOLDER: model },
    });
    try {
      const headers = { authorization: `Bearer ${stack.apiKey}` };
      await use(createClient(stack), async () =>
        (await fetch(`${stack.baseUrl}/v1/model`, { headers })).json(),
      );
    } finally {
      await stack.stop();
    }
  };

  it("of OWLv2 finds a word that the embedded model does not know, and draws a region by SAM 2", async () => {
    const root = await machine();
    const { stdout } = await models(root, "install", "owlv2-base", "--accept-licence");
    expect(stdout).toContain("MODEL_FOLDER=owlv2-base npm start");
    await served(root, "owlv2-base", async (client, describeModel) => {
      expect(await describeModel()).toMatchObject({
        family: "owlvit-sam2",
        vocabulary: "open",
        regions: { box: true, points: true, clips: true, examples: true },
      });
      const task = await client.upload(sample("chelsea"), "image/png");
      const region = { taskId: task, points: [{ x: 200, y: 150, label: 1 as const }] };
      const { jobId } = await client.createImageJob({ tasks: [task], prompts: ["ear"], regions: [region] });
      expect(await client.waitForJob(jobId)).toMatchObject({ status: "success", tasks: [{ error: null }] });
      const { masks } = only((await client.retrieveJobResult(jobId)).manifest.items);
      expect(masks).toHaveLength(2);
      expect(masks[0]?.confidence).toBeCloseTo(0.77, 2);
    });
  });

  it("of an export that the hub has under other tensors names them, and installs nothing", async () => {
    const root = await machine();
    const { [OWL_2]: whole } = hub.files;
    hub.files[OWL_2] = {
      ...whole,
      "onnx/model.onnx": fixtureExport({ kind: "owlv2", renamed: { logits: "scores" } }),
    };
    onTestFinished(() => void (hub.files[OWL_2] = whole ?? {}));
    await expect(models(root, "install", "owlv2-base", "--accept-licence")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/No template .* fits the graphs[\s\S]*scores/),
    });
    expect(await folders(root)).toEqual([".install-owlv2-base"]);
  });

  it("of SAM 3 by hand serves words, a region, its correction and an embedding", async () => {
    const root = await machine();
    await sam3Folder(join(root, "sam3"));
    const { stdout } = await models(root, "check", join(root, "sam3"));
    expect(stdout).toContain("region-decoder.onnx");
    await served(root, "sam3", async (client, describeModel) => {
      // The decoder has to reach the bucket first.
      await expect.poll(describeModel, { interval: 1_000, timeout: 300_000 }).toMatchObject({
        family: "sam3",
        vocabulary: "open",
        regions: { box: true, points: true, clips: true, examples: true },
        interactive: { decoder: expect.objectContaining({ sha256: expect.any(String) }) },
      });
      const task = await client.upload(sample("chelsea"), "image/png");
      const box: [number, number, number, number] = [100, 60, 250, 200];
      const region = { taskId: task, box };
      const { jobId } = await client.createImageJob({
        tasks: [task],
        prompts: ["cat"],
        threshold: 0.01,
        regions: [region],
        formats: ["embedding"],
      });
      expect(await client.waitForJob(jobId)).toMatchObject({ status: "success", tasks: [{ error: null }] });
      const { manifest, assets } = await client.retrieveJobResult(jobId);
      expect(assets.map(({ key }) => key)).toContainEqual(expect.stringContaining("embedding"));
      const { masks } = only(manifest.items);
      expect(masks.length).toBeGreaterThan(1);
      const drawn = present(masks.at(-1));
      const again = await client.createImageJob({
        tasks: [task],
        regions: [{ ...region, refines: { jobId, maskIndex: drawn.maskIndex } }],
      });
      expect(await client.waitForJob(again.jobId)).toMatchObject({ status: "success" });
      const corrected = only(only((await client.retrieveJobResult(again.jobId)).manifest.items).masks);
      expect(corrected.confidence).not.toBe(drawn.confidence);
    });
  });

  it("of RF-DETR Seg serves a job by its own masks, a region by SAM 2, and no examples", async () => {
    const root = await machine();
    const { stdout } = await models(root, "install", "rf-detr-seg-nano", "--accept-licence");
    expect(stdout).toContain("MODEL_FOLDER=rf-detr-seg-nano npm start");
    await served(root, "rf-detr-seg-nano", async (client, describeModel) => {
      expect(await describeModel()).toMatchObject({
        family: "rf-detr-seg",
        vocabulary: expect.arrayContaining(["cat"]),
        regions: { box: true, points: true, clips: true, examples: false },
      });
      const task = await client.upload(sample("chelsea"), "image/png");
      const point = { taskId: task, points: [{ x: 200, y: 150, label: 1 as const }] };
      const { jobId } = await client.createImageJob({ tasks: [task], prompts: ["cat"], regions: [point] });
      expect(await client.waitForJob(jobId)).toMatchObject({ status: "success", tasks: [{ error: null }] });
      const { masks } = only((await client.retrieveJobResult(jobId)).manifest.items);
      // The word's, then the region's.
      expect(masks).toHaveLength(2);
      expect(masks[0]?.confidence).toBeCloseTo(0.75, 2);
      const examples = await client.createImageJob({ tasks: [task], regions: [{ ...point, findAll: true }] });
      expect(await client.waitForJob(examples.jobId)).toMatchObject({
        status: "failed",
        tasks: [{ error: expect.stringMatching(/^examples_unsupported: /) }],
      });
    });
  });

  it("continues after a kill, refuses a second process, and installs a model with a wider vocabulary than the embedded one", async () => {
    const root = await machine();
    const came = Promise.withResolvers<() => void>();
    hub.fault = (request, response, bytes) => {
      if (!request.isStorage || !request.url.endsWith("model.onnx")) return false;
      response.writeHead(200, { "content-length": bytes.length });
      response.write(bytes.subarray(0, 500), () => came.resolve(() => response.destroy()));
      return true;
    };
    const first = models(root, "install", "grounding-dino-tiny", "--accept-licence");
    const killed = expect(first).rejects.toMatchObject({ signal: "SIGKILL" });
    await came.promise;
    await expect
      .poll(
        async () =>
          (await readFile(join(root, ".install-grounding-dino-tiny", "grounding-dino.onnx")).catch(() => ""))
            .length,
      )
      .toBe(500);
    await expect(models(root, "install", "grounding-dino-tiny", "--accept-licence")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Another process is installing grounding-dino-tiny."),
    });
    first.child.kill("SIGKILL");
    await killed;
    expect(await folders(root)).toEqual([".install-grounding-dino-tiny"]);

    hub.fault = undefined;
    hub.requests.length = 0;
    const { stdout, stderr } = await models(root, "install", "grounding-dino-tiny", "--accept-licence");
    expect(hub.of("model.onnx").map(({ range }) => range)).toContain("bytes=500-");
    expect(stderr).toContain("IDEA-Research/grounding-dino-tiny is under the Apache-2.0");
    expect(stdout).toContain("MODEL_FOLDER=grounding-dino-tiny npm start");
    expect(await folders(root)).toEqual(["grounding-dino-tiny"]);

    const manifest = join(root, "grounding-dino-tiny", "manifest.json");
    expect(JSON.parse(await readFile(manifest, "utf8"))).toMatchObject({
      id: "grounding-dino-tiny",
      family: "grounding-dino-sam2",
      files: expect.arrayContaining([
        expect.objectContaining({
          name: "grounding-dino.onnx",
          source: { repository: DINO, commit: expect.stringMatching(/^c0ffee/), path: "onnx/model.onnx" },
        }),
      ]),
    });

    const stack = await spawnStack({
      stateDir: join(scratch, "state"),
      env: { MODEL_DIR: root, MODEL_FOLDER: "grounding-dino-tiny" },
    });
    try {
      const client = createClient(stack);
      const task = await client.upload(sample("chelsea"), "image/png");
      const { jobId } = await client.createImageJob({ tasks: [task], prompts: ["sky"] });
      expect(await client.waitForJob(jobId)).toMatchObject({ status: "success", tasks: [{ error: null }] });
      const { manifest: found } = await client.retrieveJobResult(jobId);
      const mask = only(only(found.items).masks);
      expect(mask.confidence).toBeCloseTo(0.55, 2);
      expect((await maskPixels(await client.download(mask.url))).set).toBeGreaterThan(0);
    } finally {
      await stack.stop();
    }

    const other = await machine();
    hub.requests.length = 0;
    await models(other, "install", "--from", manifest, "--accept-licence");
    expect(hub.requests.filter(({ url }) => url.startsWith("/api/"))).toEqual([]);
    expect(await digests(other, "grounding-dino-tiny")).toEqual(await digests(root, "grounding-dino-tiny"));

    hub.requests.length = 0;
    const again = await models(root, "install", "grounding-dino-tiny");
    expect(again.stdout).toContain("is there already, and whole.");
    expect(hub.requests).toEqual([]);
  });
});
