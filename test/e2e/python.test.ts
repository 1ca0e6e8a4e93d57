import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { expect, it, onTestFinished } from "vitest";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";
import { isOnPath } from "../support/node/on-path.ts";
import { useSharedStack } from "../support/node/shared-stack.ts";

const run = promisify(execFile);

it("docs/python.md's walk finds the cup, with Python's standard library", async () => {
  if (!isOnPath("python3")) return console.log("This machine has no python3: docs/python.md is not tested.");
  const page = await readFile(join(PROJECT_ROOT, "docs/python.md"), "utf8");
  const [, code = ""] = /^```python\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const [, command = ""] = /^(python3 .*)$/m.exec(page) ?? [];
  const folder = await mkdtemp(join(tmpdir(), "python-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "segment.py"), code);
  const { baseUrl, apiKey } = await useSharedStack();
  const { stdout } = await run("bash", ["-c", command.replace("samples/", join(PROJECT_ROOT, "samples/"))], {
    cwd: folder,
    env: { ...process.env, SEGMENTATION_BASE_URL: baseUrl, SEGMENTATION_API_KEY: apiKey },
  });
  expect(stdout).toMatch(/^out\/python\/0\.png cup 0\.\d+$/m);
  expect(stdout).toMatch(/^out\/python\/1\.png spoon 0\.\d+$/m);
  const masks = await readdir(join(folder, "out/python"));
  expect(masks.length).toBeGreaterThan(0);
  const { width, height } = await sharp(join(folder, "out/python", masks[0] ?? "")).metadata();
  expect([width, height]).toEqual([600, 400]);
  const env = { ...process.env, SEGMENTATION_BASE_URL: baseUrl, SEGMENTATION_API_KEY: apiKey };
  const empty = run("python3", ["segment.py"], { cwd: folder, env });
  await expect(empty).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Usage: python3 segment/),
  });
});
