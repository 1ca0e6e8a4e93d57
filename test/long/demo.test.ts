import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { MasksJson } from "../../inference-container/test/support/masks/masks-json.ts";
import { fixtureFolder } from "../../inference-container/test/models/sam3/fixture-folder.ts";
import { findMarked } from "../../scripts/shared/marked-processes.ts";
import { stackMark, stateFolder } from "../../scripts/shared/state/state-folder.ts";
import { demoOnSharedStack } from "../support/stack/demo-run.ts";
import { panClip } from "../support/media/pan-clip.ts";

it.each([
  ["while its stack starts", [], "Starting the inference service"],
  ["in the middle of a video", ["--frames", "24"], "/24 frames done"],
])("demo stopped %s ends with exit code 130 and leaves no process behind", async (_, options, printed) => {
  const folder = await mkdtemp(join(tmpdir(), "demo-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "cat.mp4"), panClip(1));
  const args = ["--out", join(folder, "stopped"), ...options, join(folder, "cat.mp4"), "red"];
  const demo = promisify(execFile)(process.execPath, [join("scripts", "run.mjs"), "demo", ...args], {
    env: {
      ...process.env,
      STATE_DIR: join(folder, "state"),
      MODEL_FOLDER: await fixtureFolder(join(folder, "model")),
    },
  });
  for (const output of [demo.child.stdout, demo.child.stderr])
    output?.on("data", (text: string) => {
      if (text.includes(printed)) demo.child.kill("SIGINT");
    });
  await expect(demo).rejects.toMatchObject({ code: 130 });
  expect(findMarked(stackMark(stateFolder(join(folder, "state"))))).toEqual([]);
});

it("demo tracks prompts and regions in a video, also backward, and leaves masks.json and a preview [A5-16]", async () => {
  const region = "my cat#7: 330,220@0.9s";
  const folder = await mkdtemp(join(tmpdir(), "demo-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const clip = join(folder, "cat.mp4");
  await writeFile(clip, panClip(1));
  const args = ["--frames", "2", "--region", region, clip, "cat"];
  const { printed, made } = await demoOnSharedStack(folder, ...args);
  expect(printed).toMatch(/^cat\.mp4 +8 +cat +0\.0 s +0\.\d s +2 +0\.\d\d$/m);
  expect(printed).toMatch(/^cat\.mp4 +7 +my cat +0\.0 s +0\.\d s +2 +0\.\d\d$/m);
  const files = await readdir(made, { recursive: true });
  expect(files).toContain("preview/cat.mp4.mp4");
  const path = join(made, "masks", "cat.mp4", "masks.json");
  const masks = MasksJson.parse(JSON.parse(await readFile(path, "utf8")));
  expect(masks.frames).toHaveLength(2);
  for (const { objects } of masks.frames)
    expect(objects).toContainEqual(expect.objectContaining({ objectId: 7, regionIndex: 0, label: "my cat" }));
});
