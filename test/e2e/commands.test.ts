import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stateFolder } from "../../scripts/shared/state/state-folder.ts";
import { isWellFormedApiKey } from "../../src/accounts/rules/api-key.ts";
import { only } from "../support/at.ts";
import { demoOnSharedStack } from "../support/stack/demo-run.ts";
import { giveMigratedData } from "../support/stack/migrated-data.ts";
import { isLong } from "../../inference-container/test/support/form.ts";

const run = promisify(execFile);

describe("the commands of the README", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "commands-"));
    // From an empty folder: test/long/demo.test.ts.
    const state = stateFolder(join(folder, "state"));
    await mkdir(state.path, { recursive: true });
    await giveMigratedData(state);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  /** As package.json starts it. */
  const command = (name: string, ...args: string[]) =>
    run(process.execPath, [join("scripts", "run.mjs"), name, ...args], {
      env: { ...process.env, STATE_DIR: join(folder, "state") },
    });

  it("demo segments a photograph and leaves its masks, its preview and its COCO documents", async () => {
    const out = join(folder, "out");
    const { stdout } = await command("demo", "--out", out, "samples/coffee.png", "cup", "spoon");
    expect(stdout).toMatch(/^coffee\.png +cup +0\.\d\d +[\d,]+ +\d+$/m);
    expect(stdout).toMatch(/^coffee\.png +spoon +0\.\d\d +[\d,]+ +\d+$/m);
    expect(stdout).toMatch(/^1 picture with 2 masks: /m);
    const files = await readdir(join(out, only(await readdir(out))), { recursive: true });
    expect(files.filter((file) => file.includes("."))).toEqual(
      expect.arrayContaining([
        "annotations.json",
        "annotations/coffee.png.json",
        "masks/coffee.png/0.png",
        "masks/coffee.png/1.png",
        "preview/coffee.png.png",
      ]),
    );
  });

  // With a video, and stopped while its stack starts or in the middle of one: test/long/demo.test.ts.
  it("demo says plainly when nothing is found, and when a prompt is outside the vocabulary", async () => {
    const { printed } = await demoOnSharedStack(folder, "samples/coffee.png", "zebra", "sky");
    expect(printed).toContain("1 picture with 0 masks");
    expect(printed).toMatch(/"sky"/);
  });

  it.runIf(isLong)("admin makes accounts and keys, revokes keys and shows jobs", async () => {
    const json = async (...args: string[]) => JSON.parse((await command("admin", ...args, "--json")).stdout);
    const account = await json("create-account", "--email", "a@example.com", "--plan", "paid");
    expect(account).toMatchObject({ accountId: expect.stringMatching(/^acct_/) });
    expect(isWellFormedApiKey(account.secret ?? account.apiKey)).toBe(true);
    await expect(command("admin", "show-job", `job_${"0".repeat(32)}`)).rejects.toMatchObject({ code: 1 });
    await expect(command("admin", "make-coffee")).rejects.toMatchObject({ code: 2 });
  });
});
