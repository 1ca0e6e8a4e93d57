import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import type { CocoDocument } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { checkLedger } from "../../../scripts/operate/admin/ledger-check.ts";
import { openLocalDatabase } from "../../../scripts/shared/database/database.ts";
import { createClient } from "../../../scripts/shared/api-client.ts";
import { stateFolder } from "../../../scripts/shared/state/state-folder.ts";
import { type Ended, startCommandLine } from "../../support/clients/command-line.ts";
import { sample } from "../../support/media/sample.ts";
import { type SharedStack, useSharedStack } from "../../support/stack/shared-stack.ts";

const TRIAL_TOKENS = 100;

describe("the command line against the whole stack", () => {
  let stack: SharedStack;
  let folder: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    stack = await useSharedStack();
    folder = await mkdtemp(join(tmpdir(), "command-line-"));
    env = { SEGMENTATION_BASE_URL: stack.baseUrl, SEGMENTATION_API_KEY: stack.apiKey, HOME: folder };
    await mkdir(join(folder, "photos"));
    await writeFile(join(folder, "photos/cat.png"), sample("chelsea"));
    await writeFile(join(folder, "photos/coffee.png"), sample("coffee"));
    await writeFile(join(folder, "photos/broken.jpg"), "This is no picture.");
  });
  afterAll(() => rm(folder, { recursive: true }));

  const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Ended> =>
    startCommandLine(args, { ...env, ...more }).ended;
  const segment = ["segment", "-p", "cat", "-p", "cup", "--format", "png,coco,cutout", "--preview", "--json"];
  const usedUnits = async (): Promise<number> => {
    const { out } = await run(["account", "--usage", "--json"]);
    const { days }: { days: { units: number }[] } = JSON.parse(out);
    return days.reduce((sum, { units }) => sum + units, 0);
  };

  it("segments a folder that it was killed in the middle of, once, and reports what failed", async () => {
    const out = join(folder, "out");
    const args = [...segment, join(folder, "photos"), "--out", out];
    const { child, ended } = startCommandLine(args, env);
    const client = createClient(stack);
    await expect.poll(async () => (await client.listJobs()).items.length, { timeout: 150_000 }).toBe(1);
    child.kill("SIGKILL");
    expect((await ended).code).toBeNull();

    const again = await run(args);
    expect([again.code, again.err]).toEqual([1, ""]);
    const { pictures }: { pictures: { name: string; failed: boolean; masks: { prompt: string }[] }[] } =
      JSON.parse(again.out);
    expect(pictures.map(({ name, failed, masks }) => [name, failed, masks[0]?.prompt])).toEqual([
      ["broken.jpg", true, undefined],
      ["cat.png", false, "cat"],
      ["coffee.png", false, "cup"],
    ]);
    const written = await readdir(out);
    expect(written).toEqual(
      expect.arrayContaining(["annotations.json", "annotations", "cutouts", "masks", "preview"]),
    );
    const coco: CocoDocument = JSON.parse(await readFile(join(out, "annotations.json"), "utf8"));
    expect(coco.images).toMatchObject([
      { file_name: "cat.png", width: 451, height: 300 },
      { file_name: "coffee.png", width: 600, height: 400 },
    ]);
    const mask = await sharp(await readFile(join(out, "masks/cat.png/0.png"))).metadata();
    expect([mask.width, mask.height]).toEqual([451, 300]);

    const jobs = (await client.listJobs()).items.map(({ jobId }) => jobId);
    expect(jobs).toHaveLength(1);
    expect(await usedUnits()).toBe(2);
    const database = await openLocalDatabase(stateFolder(stack.stateDir));
    const { findings } = await checkLedger(database, TRIAL_TOKENS, Date.now());
    // Other tests of the shared stack plant rows in it.
    expect(findings.filter(({ subject }) => jobs.includes(String(subject)))).toEqual([]);
  });

  it("draws the region of a picture, without words", async () => {
    const out = join(folder, "region");
    const { code, out: printed } = await run([
      "segment",
      join(folder, "photos/coffee.png"),
      "--region",
      "150,60,260,260",
      "--out",
      out,
    ]);
    expect([code, printed]).toEqual([
      0,
      expect.stringMatching(/^coffee\.png +region +0\.\d\d +\d+,\d+,\d+,\d+ +\d+$/m),
    ]);
  });

  it.runIf(isLong)(
    "keeps a key, for this service alone, in a file that only its owner can read",
    async () => {
      const config = {
        XDG_CONFIG_HOME: join(folder, "config"),
        SEGMENTATION_API_KEY: "",
        SEGMENTATION_BASE_URL: "",
      };
      const login = await run(["login", "--base-url", stack.baseUrl], {
        ...config,
        stdin: `${stack.apiKey}\n`,
      });
      expect([login.code, login.err]).toEqual([0, expect.stringContaining("The key is stored in")]);
      expect(login.out + login.err).not.toContain(stack.apiKey);
      const { mode } = await stat(join(folder, "config/segmentation-client/config.json"));
      expect(mode & 0o777).toBe(0o600);
      expect((await run(["account"], config)).out).toMatch(/^access +paid$/m);
      const elsewhere = await run(["account", "--base-url", "http://127.0.0.1:9"], config);
      expect([elsewhere.code, elsewhere.err]).toEqual([
        1,
        expect.stringContaining("There is no API key for"),
      ]);

      const wrong = await run(["login"], { ...config, stdin: "sk_live_wrong" });
      expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("does not accept this API key")]);
    },
  );

  it.runIf(isLong)("lists, shows, saves and deletes jobs, and makes and revokes keys", async () => {
    const jobs: { jobId: string }[] = JSON.parse((await run(["jobs", "--json"])).out);
    const jobId = jobs.at(-1)?.jobId ?? "";
    const shown = await run(["job", jobId, "--save", join(folder, "saved")]);
    expect([shown.code, shown.out]).toEqual([0, expect.stringContaining(`${jobId}: success, 3 files`)]);
    expect(await readdir(join(folder, "saved"))).toContain("masks");
    expect((await run(["cancel", jobId])).code, "it has ended").toBe(0);
    expect((await run(["delete", jobId])).code).toBe(0);
    const gone = await run(["job", jobId]);
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining("Error:")]);

    const made = await run(["keys", "create", "nightly"]);
    const [, keyId = ""] = /key (\S+)\./.exec(made.err) ?? [];
    expect((await run(["account"], { SEGMENTATION_API_KEY: made.out.trim() })).code).toBe(0);
    expect((await run(["keys", "revoke", keyId])).code).toBe(0);
    expect((await run(["keys"])).out).toMatch(new RegExp(`^${keyId} +nightly .* revoked$`, "m"));
    expect((await run(["account"], { SEGMENTATION_API_KEY: made.out.trim() })).code).toBe(1);
  });

  it.runIf(isLong)("prints the verified events of webhooks, and deletes its endpoint at Ctrl-C", async () => {
    const { child, ended } = startCommandLine(["webhooks", "listen"], env);
    let printed = "";
    child.stdout?.on("data", (piece: Buffer) => void (printed += piece.toString()));
    const endpoints = async (): Promise<{ endpointId: string }[]> =>
      JSON.parse((await run(["webhooks", "--json"])).out);
    await expect.poll(endpoints, { timeout: 150_000 }).toHaveLength(1);
    const [endpoint] = await endpoints();
    expect((await run(["webhooks", "test", endpoint?.endpointId ?? ""])).code).toBe(0);
    await expect.poll(() => printed, { timeout: 150_000 }).toMatch(/ test {2}whe_\w+ {2}evt_\w+$/m);
    child.kill("SIGINT");
    expect((await ended).code).toBe(0);
    expect(await endpoints()).toEqual([]);
  });
});
