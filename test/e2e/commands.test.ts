import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { MasksJson } from "../../inference-container/test/support/masks-json.ts";
import { segmentArguments, segmentOn } from "../../scripts/demo/segment.ts";
import { stateFolder } from "../../scripts/stack/state-folder.ts";
import { isWellFormedApiKey } from "../../src/core/accounts/api-key.ts";
import { only } from "../support/at.ts";
import { giveMigratedData } from "../support/node/migrated-data.ts";
import { panClip } from "../support/node/pan-clip.ts";
import { useSharedStack } from "../support/node/shared-stack.ts";

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

  /** What the demo does with such arguments once its stack is up, on the shared one: what it prints, and its folder. */
  const segmentOnSharedStack = async (...args: string[]): Promise<{ printed: string; made: string }> => {
    const out = await mkdtemp(join(folder, "segment-"));
    const order = segmentArguments(["--out", out, ...args], process.cwd()) ?? expect.fail();
    const written = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, "write").mockReturnValue(true),
    );
    try {
      await segmentOn(await useSharedStack(), order, new AbortController().signal);
      const printed = written.flatMap(({ mock }) => mock.calls.map(([text]) => String(text))).join("");
      return { printed, made: join(out, only(await readdir(out))) };
    } finally {
      for (const each of written) each.mockRestore();
    }
  };

  const catClip = async (): Promise<string> => {
    const path = join(folder, "cat.mp4");
    await writeFile(path, panClip(1));
    return path;
  };

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

  it("demo says plainly when nothing is found, and when a prompt is outside the vocabulary", async () => {
    const { printed } = await segmentOnSharedStack("samples/coffee.png", "zebra", "sky");
    expect(printed).toContain("1 picture with 0 masks");
    expect(printed).toMatch(/"sky"/);
  });

  it("demo tracks what words name, and follows what it points at in a clip, backwards too, and leaves masks.json and a preview [A5-16]", async () => {
    const region = "my cat#7: 330,220@0.9s";
    const { printed, made } = await segmentOnSharedStack(
      "--frames",
      "2",
      "--region",
      region,
      await catClip(),
      "cat",
    );
    expect(printed).toMatch(/^cat\.mp4 +8 +cat +0\.0 s +0\.\d s +2 +0\.\d\d$/m);
    expect(printed).toMatch(/^cat\.mp4 +7 +my cat +0\.0 s +0\.\d s +2 +0\.\d\d$/m);
    const files = await readdir(made, { recursive: true });
    expect(files).toContain("preview/cat.mp4.mp4");
    const path = join(made, "masks", "cat.mp4", "masks.json");
    const masks = MasksJson.parse(JSON.parse(await readFile(path, "utf8")));
    expect(masks.frames).toHaveLength(2);
    for (const { objects } of masks.frames)
      expect(objects).toContainEqual(
        expect.objectContaining({ objectId: 7, regionIndex: 0, label: "my cat" }),
      );
  });

  // Stopped while its stack starts, and in the middle of a clip: test/long/demo.test.ts.
  it("demo refuses a file that is not there, with exit code 2", async () => {
    const asked = command("demo", "no where.jpg", "cat");
    await expect(asked).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining("no where.jpg") });
  });

  it("demo refuses a rate of frames for a photograph, with exit code 2", async () => {
    const asked = command("demo", "samples/coffee.png", "cup", "--fps", "2");
    await expect(asked).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("apply only to clips"),
    });
  });

  it("admin makes accounts and keys, revokes keys and shows jobs", async () => {
    const json = async (...args: string[]) => JSON.parse((await command("admin", ...args, "--json")).stdout);
    const account = await json("create-account", "--email", "a@example.com", "--plan", "paid");
    expect(account).toMatchObject({ accountId: expect.stringMatching(/^acct_/) });
    expect(isWellFormedApiKey(account.secret ?? account.apiKey)).toBe(true);
    await expect(command("admin", "show-job", `job_${"0".repeat(32)}`)).rejects.toMatchObject({ code: 1 });
    await expect(command("admin", "make-coffee")).rejects.toMatchObject({ code: 2 });
  });
});
