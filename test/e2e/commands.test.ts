import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { MasksJson } from "../../inference-container/test/support/masks-json.ts";
import { createClient } from "../../scripts/client/api-client.ts";
import { parseDemoArguments } from "../../scripts/demo/arguments.ts";
import { readMedia } from "../../scripts/demo/media.ts";
import { walk } from "../../scripts/demo/walk.ts";
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
  const walkOnSharedStack = async (...args: string[]): Promise<{ printed: string; made: string }> => {
    const out = await mkdtemp(join(folder, "walk-"));
    const request = parseDemoArguments(["--out", out, ...args]) ?? expect.fail();
    const lines = vi.spyOn(console, "log");
    const progress = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    const { signal } = new AbortController();
    try {
      const client = createClient({ ...(await useSharedStack()), signal });
      await walk(client, await readMedia(request.file), request, signal);
      return { printed: lines.mock.calls.flat().join("\n"), made: join(out, only(await readdir(out))) };
    } finally {
      lines.mockRestore();
      progress.mockRestore();
    }
  };

  const catClip = async (): Promise<string> => {
    const path = join(folder, "cat.mp4");
    await writeFile(path, panClip(1));
    return path;
  };

  it("demo segments a photograph and leaves its masks, its preview and the unpacked archive", async () => {
    const out = join(folder, "out");
    const { stdout } = await command("demo", "--out", out, "samples/coffee.png", "cup", "spoon");
    expect(stdout).toMatch(/^mask-0-cup\.png +cup +0\.\d\d +\d+$/m);
    expect(stdout).toMatch(/^mask-1-spoon\.png +spoon +0\.\d\d +\d+$/m);
    const files = await readdir(join(out, only(await readdir(out))));
    expect(files.toSorted()).toEqual([
      "archive",
      "archive.zip",
      "mask-0-cup.png",
      "mask-1-spoon.png",
      "preview.png",
    ]);
  });

  it("demo says plainly when nothing is found, and when a prompt is outside the vocabulary", async () => {
    const { printed } = await walkOnSharedStack("samples/coffee.png", "zebra", "sky");
    expect(printed).toMatch(/nothing/i);
    expect(printed).toContain("prompt_outside_vocabulary");
  });

  it("demo tracks what words name, and follows what it points at in a clip, backwards too, and leaves masks.json, a preview, a strip of it and the archive [A5-16]", async () => {
    const region = "my cat#7: 330,220@0.9s";
    const { printed, made } = await walkOnSharedStack(
      "--frames",
      "2",
      "--region",
      region,
      await catClip(),
      "cat",
    );
    expect(printed).toMatch(/^ +8 +cat +0\.0 s +0\.\d s +2 +0\.\d\d$/m);
    expect(printed).toMatch(/^ +7 +my cat +0\.0 s +0\.\d s +2 +0\.\d\d$/m);
    expect(printed).toContain("2 frames processed, 2 with masks, 4 masks in all.");
    const masks = MasksJson.parse(JSON.parse(await readFile(join(made, "masks.json"), "utf8")));
    for (const { objects } of masks.frames)
      expect(objects).toContainEqual(
        expect.objectContaining({ objectId: 7, regionIndex: 0, label: "my cat" }),
      );
    const files = await readdir(made);
    expect(files.toSorted()).toEqual(["archive", "archive.zip", "masks.json", "preview.mp4", "strip.png"]);
    const archived = await readdir(join(made, "archive"), { recursive: true });
    expect(archived).toContain("output_manifest.json");
    expect(archived).toContainEqual(expect.stringMatching(/^masks\/[^/]+\.mp4\/masks\.json$/));
    expect(archived).toContainEqual(expect.stringMatching(/^preview\/[^/]+\.mp4\.mp4$/));
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
