import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { isLong } from "../../inference-container/test/support/form.ts";
import { ensureBuiltin } from "../../inference-container/src/models/fetch/ensure-builtin.ts";
import { GroundingDinoManifest } from "../../inference-container/src/models/grounding-dino/manifest.ts";
import { fixtureFolder as fixtureDinoFolder } from "../../inference-container/test/models/grounding-dino/fixture.ts";
import { fixtureFolder } from "../../inference-container/test/models/sam3/fixture-folder.ts";
import { findMarked } from "../../scripts/shared/marked-processes.ts";
import { catLabels, endsAtCtrlC, models } from "../support/process/models-command.ts";

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
    const folder = join(scratch, `${made}`, "builtin-1.4.0");
    await mkdir(folder, { recursive: true });
    for (const name of await readdir(whole))
      if (name !== lacking) await symlink(join(whole, name), join(folder, name));
    return folder;
  };

  it("check refuses an incomplete and a missing folder with exit code 1", async () => {
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

  it.runIf(isLong)("check refuses a file whose bytes are not the manifest's", async () => {
    const folder = await without("nouns.tsv");
    const nouns = await readFile(join(whole, "nouns.tsv"), "utf8");
    await writeFile(join(folder, "nouns.tsv"), nouns.replace("taxi\t2", "taxi\t3"));
    const checked = models(["check", folder]);
    await expect(checked).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining("is damaged") });
  });

  it.runIf(isLong)("check ends at Ctrl-C with exit code 130 and leaves no process behind", async () => {
    const mark = { MODELS_TEST: randomUUID() };
    const checking = models(["check", whole], mark);
    const ended = expect(checking).rejects.toMatchObject({ code: 130 });
    await vi.waitUntil(() => findMarked(mark).length === 2, { timeout: 150_000 });
    checking.child.kill("SIGINT");
    await ended;
    await vi.waitUntil(() => findMarked(mark).length === 0, { timeout: 150_000 });
  });

  it.runIf(isLong)(
    "evaluate says what is wrong with a folder, a service or the labels, and exits with 1",
    async () => {
      const labels = await catLabels(scratch);
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
    },
  );

  // Through the API: test/long/operate/measuring-commands.test.ts.
  it.runIf(isLong)("evaluate ends at Ctrl-C with exit code 130 and leaves neither a process nor a file", () =>
    endsAtCtrlC(whole, scratch),
  );

  it("list names each folder with its licenses and missing files", async () => {
    const lacking = await without("minilm.onnx");
    const root = join(lacking, "..");
    await symlink(whole, join(root, "builtin-whole"));
    await mkdir(join(root, "empty"));
    await mkdir(join(root, ".builtin-staging"));
    const { stdout } = await models(["list"], { MODEL_DIR: root });
    expect(stdout).toMatch(
      /^builtin +1\.4\.0 +builtin +Apache-2\.0, WordNet.* \d+ +complete +.*builtin-whole$/m,
    );
    expect(stdout).toMatch(/^builtin +1\.4\.0 +builtin .* unusable +.*builtin-1\.4\.0$/m);
    expect(stdout).toContain(`The model folder ${lacking} lacks the file minilm.onnx.`);
    expect(stdout).toContain(`There is no model in ${join(root, "empty")}`);
    expect(stdout).not.toContain("staging");
    expect(stdout).toContain(
      "Known families: builtin, grounding-dino-sam2, kserve, owlvit-sam2, rf-detr-seg, sam3",
    );
  });

  it.runIf(isLong)("list of no folder says how to get one", async () => {
    const { stdout } = await models(["list"], { MODEL_DIR: join(scratch, "none") });
    expect(stdout).toContain("npm run models -- fetch builtin");
  });

  it.runIf(isLong)("fetch builtin finds the existing embedded model and prints its folder", async () => {
    const { stdout } = await models(["fetch", "builtin"]);
    expect(stdout).toBe(`${whole}\n`);
  });

  it.runIf(isLong)("describe distinguishes Grounding DINO with SAM 2 from SAM 3", async () => {
    const folder = await fixtureDinoFolder(join(scratch, "dino"), whole);
    await rm(join(folder, "manifest.json"));
    const { stdout } = await models(["describe", folder]);
    expect(stdout).toContain("Recognised: Grounding DINO");
    const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
    expect(manifest).toMatchObject({
      family: "grounding-dino-sam2",
      graphs: { encoder: { file: "sam2-encoder.onnx" } },
    });
    expect(GroundingDinoManifest.safeParse(manifest).error).toBeUndefined();
  });

  // What it fits: test/long/operate/measuring-commands.test.ts.
  it.runIf(isLong)("calibrate refuses a family that has no confidence to fit", async () => {
    const folder = await fixtureFolder(join(scratch, "no-confidence"));
    const options = ["--pictures", "samples", "--labels", await catLabels(scratch)];
    await expect(models(["calibrate", folder, ...options])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is of the family sam3, whose manifest has no confidence to fit."),
    });
  });

  it("describe refuses graphs that no template has, by the names of their tensors, and writes nothing", async () => {
    const folder = await fixtureFolder(join(scratch, "other"), {
      renamed: { input_ids: "words" },
    });
    await rm(join(folder, "manifest.json"));
    await expect(models(["describe", folder])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("text-encoder.onnx: words, attention_mask → text_features, text_mask"),
    });
    expect(await readdir(folder)).not.toContain("manifest.json");
  });

  it.runIf(isLong)("describe names the missing file next to the graphs", async () => {
    const folder = await fixtureFolder(join(scratch, "bare"));
    await rm(join(folder, "manifest.json"));
    await rm(join(folder, "tokenizer.json"));
    await expect(models(["describe", folder])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /lacks the file tokenizer\.json\. See what belongs in the folder: .*README\.md/,
      ),
    });
  });

  it("has a help", async () => {
    expect((await models(["--help"])).stdout).toContain("npm run models -- describe FOLDER");
  });
});
