import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Displaced, Engine } from "../../src/engine/engine.ts";
import type { ImageTask } from "../../src/engine/messages.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../src/models/load-options.ts";
import { samples } from "../support/pictures.ts";

const LOADER = new URL("../support/planted-model.ts", import.meta.url).href;

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "engine-"));
  await writeFile(join(folder, "input"), (await samples())["bright.png"] ?? "");
});
afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

function task(key: string, prompt: string): ImageTask {
  return {
    type: "image",
    key,
    inputPath: join(folder, "input"),
    contentHash: key,
    inputPixels: 1_000_000,
    prompts: [prompt],
    generatePreview: false,
    folder: join(folder, key),
    maxMasks: 10,
    threshold: 0.5,
    maskThreshold: 0.5,
  };
}

test("of tasks that are stuck at once the first fails, and the others begin anew", async () => {
  const config = {
    loader: LOADER,
    modelFolder: "planted",
    ffmpeg: null,
    cpuFallback: false,
    options: { ...DEFAULT_LOAD_OPTIONS, provider: "cpu" as const, device: 0 },
  };
  const on = { changed: () => undefined, restarting: () => undefined };
  engine = new Engine(config, 2_500, pino({ level: "silent" }), on);
  await engine.start();
  const { signal } = new AbortController();
  const runs = ["first", "second", "third"].map((key) =>
    engine.run(task(key, "mute"), signal, () => undefined),
  );
  const [first, ...others] = await Promise.allSettled(runs);
  expect(first).toMatchObject({ status: "rejected", reason: { code: "engine_timeout" } });
  for (const other of others) expect(other).toEqual({ status: "rejected", reason: new Displaced() });
});
