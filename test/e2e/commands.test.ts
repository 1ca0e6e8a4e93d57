import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWellFormedApiKey } from "../../src/core/api-key.ts";

const run = promisify(execFile);

describe("the commands of the README", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "commands-"));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  const node = (script: string, ...args: string[]) =>
    run(process.execPath, [join("scripts", script), ...args], {
      env: { ...process.env, STATE_DIR: join(folder, "state") },
    });

  it("demo segments a photograph and leaves its masks, its preview and the unpacked archive", async () => {
    const { stdout } = await node(
      "demo.ts",
      "--out",
      join(folder, "out"),
      "samples/coffee.png",
      "cup",
      "spoon",
    );
    expect(stdout).toMatch(/^mask-0-cup\.png +cup +0\.\d\d +\d+$/m);
    expect(stdout).toMatch(/^mask-1-spoon\.png +spoon +0\.\d\d +\d+$/m);
    const [made = ""] = await readdir(join(folder, "out"));
    const files = await readdir(join(folder, "out", made));
    expect(files.toSorted()).toEqual([
      "archive",
      "archive.zip",
      "mask-0-cup.png",
      "mask-1-spoon.png",
      "preview.png",
    ]);
  });

  it("demo says plainly when nothing is found, and when a prompt is outside the vocabulary", async () => {
    const { stdout } = await node(
      "demo.ts",
      "--out",
      join(folder, "out"),
      "samples/coffee.png",
      "zebra",
      "sky",
    );
    expect(stdout).toMatch(/nothing/i);
    expect(stdout).toContain("prompt_outside_vocabulary");
  });

  it("demo refuses a file that is not there, with exit code 2", async () => {
    await expect(node("demo.ts", "nowhere.jpg", "cat")).rejects.toMatchObject({ code: 2 });
  });

  it("admin makes accounts and keys, revokes keys and shows jobs", async () => {
    const json = async (...args: string[]) => JSON.parse((await node("admin.ts", ...args, "--json")).stdout);
    const account = await json("create-account", "--email", "a@example.com", "--plan", "paid");
    expect(account).toMatchObject({ accountId: expect.stringMatching(/^acct_/) });
    expect(isWellFormedApiKey(account.secret ?? account.apiKey)).toBe(true);
    await expect(node("admin.ts", "show-job", `job_${"0".repeat(32)}`)).rejects.toMatchObject({ code: 1 });
    await expect(node("admin.ts", "make-coffee")).rejects.toMatchObject({ code: 2 });
  });

  it("bench compares the whole path with the bare model, in one run", async () => {
    const { stdout } = await node("bench.ts", "--pictures", "1");
    expect(stdout).toMatch(/whole path ÷ bare loop/);
    expect(stdout).not.toContain("NaN");
  });
});
