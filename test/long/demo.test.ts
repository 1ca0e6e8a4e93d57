import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { plantedFolder } from "../../inference-container/test/models/sam3/planted-folder.ts";
import { findMarked } from "../../scripts/shared/marked-processes.ts";
import { stackMark, stateFolder } from "../../scripts/stack/state-folder.ts";
import { panClip } from "../support/node/pan-clip.ts";

it.each([
  ["while its stack starts", [], "Starting the inference service"],
  ["in the middle of a clip", ["--frames", "24"], "/24 frames done"],
])("demo stopped %s ends with exit code 130 and leaves no process behind", async (_, options, printed) => {
  const folder = await mkdtemp(join(tmpdir(), "demo-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "cat.mp4"), panClip(1));
  const args = ["--out", join(folder, "stopped"), ...options, join(folder, "cat.mp4"), "red"];
  const demo = promisify(execFile)(process.execPath, [join("scripts", "run.mjs"), "demo", ...args], {
    env: {
      ...process.env,
      STATE_DIR: join(folder, "state"),
      MODEL_FOLDER: await plantedFolder(join(folder, "model")),
    },
  });
  for (const output of [demo.child.stdout, demo.child.stderr])
    output?.on("data", (text: string) => {
      if (text.includes(printed)) demo.child.kill("SIGINT");
    });
  await expect(demo).rejects.toMatchObject({ code: 130 });
  expect(findMarked(stackMark(stateFolder(join(folder, "state"))))).toEqual([]);
});
