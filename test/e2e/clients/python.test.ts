import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { describe, expect, it, onTestFinished } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { isOnPath } from "../../support/process/on-path.ts";
import { panClip } from "../../support/media/pan-clip.ts";
import { pythonWith } from "../../support/clients/python.ts";
import { useSharedStack } from "../../support/stack/shared-stack.ts";

const run = promisify(execFile);

it("docs/api-walkthrough.md's walk finds the cup, with Python's standard library", async () => {
  if (!isOnPath("python3"))
    return console.log("This machine has no python3: docs/api-walkthrough.md is not tested.");
  const page = await readFile(join(PROJECT_ROOT, "docs/api-walkthrough.md"), "utf8");
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

const README = await readFile(join(PROJECT_ROOT, "python/README.md"), "utf8");
const all = README.split(/^## /m).flatMap((section) =>
  [...section.matchAll(/^```python\n([\s\S]*?)^```$/gm)].map(
    ([, code = ""]) => [section.split("\n")[0] ?? "", code] as const,
  ),
);
const SHORT = new Set(["Install", "Corrections", "Errors, retries, time limits"]);
const examples = all.filter(([heading]) => isLong || SHORT.has(heading));
/** Expected output of the example under a heading. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  Install: /^cup 0\.\d+ \(\d+, \d+, \d+, \d+\) \d+\nspoon /,
  Pictures: /^100%\ncoffee\.png None\ncup \(400, 600\) \d+ \[400, 600\]\n[\s\S]*^region 0 \(300, 451\) /m,
  Corrections: /^\['mug', 'spoon'\]$/m,
  "Without waiting": /^success 1(\.0)?\n[\s\S]*\.png \[\d+/m,
  "With asyncio": /<Mask 0 of 'cup'[\s\S]*<Mask 0 of 'cat'[\s\S]*^job_\w+ success$/m,
  Videos: /^1 cat 0(\.0)? 0\.\d+ \(/m,
  "Every operation": /^success\n\d{4,} bytes\n.*@example\.com$/m,
  Webhooks: /^The request is not the service's: it is not signed\. Answer it with 401\.\n401$/m,
  "Errors, retries, time limits": /^job_not_found This account has no job/,
};

describe("the Python client's README", () => {
  const python = pythonWith("httpx", "numpy");

  it.skipIf(python === null).each(examples)("under %s has an example that runs", async (heading, code) => {
    const folder = await mkdtemp(join(tmpdir(), "python-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    // Each new frame costs seconds: the video is one of a cat that other tests have, too.
    await mkdir(join(folder, "samples"));
    for (const name of await readdir(join(PROJECT_ROOT, "samples")))
      await (name === "people-crossing.mp4"
        ? writeFile(join(folder, "samples", name), panClip(1))
        : symlink(join(PROJECT_ROOT, "samples", name), join(folder, "samples", name)));
    await writeFile(join(folder, "example.py"), code.replace('"person"', '"cat"'));
    const { baseUrl, apiKey } = await useSharedStack();
    const { stdout, stderr } = await run(python ?? "", ["example.py"], {
      cwd: folder,
      env: {
        ...process.env,
        SEGMENTATION_BASE_URL: baseUrl,
        SEGMENTATION_API_KEY: apiKey,
        PYTHONPATH: join(PROJECT_ROOT, "python/src"),
        PYTHONDONTWRITEBYTECODE: "1",
      },
    });
    expect(stderr).toBe("");
    expect(stdout).toMatch(PRINTED[heading] ?? expect.fail(`nothing is known about ${heading}`));
  });
});
