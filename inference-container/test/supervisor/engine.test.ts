import { EventEmitter, once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Engine } from "../../src/supervisor/engine.ts";
import { Suspected } from "../../src/supervisor/after-crash.ts";
import type { ImageTask } from "../../src/messages.ts";
import { DEFAULT_LOAD_OPTIONS } from "../../src/models/loaded-model.ts";
import { samples } from "../support/pictures/pictures.ts";
import { isLong } from "../support/form.ts";

const LOADER = new URL("../support/service/fixture-model.ts", import.meta.url).href;

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
    lane: "bulk",
    inputPath: join(folder, "input"),
    contentHash: key,
    prompts: [prompt],
    generatePreview: false,
    folder: join(folder, key),
    limits: { inputBytes: 1_000_000, inputPixels: 1_000_000, masks: 10 },
    threshold: 0.5,
    maskThreshold: 0.5,
  };
}

test.runIf(isLong)(
  "of tasks that are stuck at once none is blamed, and each is stuck once it is alone",
  async () => {
    const config = {
      loader: LOADER,
      modelFolder: "fixture",
      ffmpeg: null,
      cpuFallback: false,
      decodedBytes: 1e9,
      options: { ...DEFAULT_LOAD_OPTIONS, provider: "cpu" as const, device: 0 },
    };
    const changes = new EventEmitter();
    const on = { changed: () => void changes.emit("changed"), restarting: () => undefined };
    const limits = { taskTimeoutMs: 2_500, deviceFaults: 10 };
    engine = new Engine(config, limits, pino({ level: "silent" }, { write: () => undefined }), on);
    await engine.start();
    const { signal } = new AbortController();
    const run = (key: string, alone: boolean) =>
      engine.run(task(key, "mute"), alone, signal, () => undefined);
    const outcomes = await Promise.allSettled(["first", "second", "third"].map((key) => run(key, false)));
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: expect.any(Suspected) });
    while (!engine.takes("image", true)) await once(changes, "changed");
    const alone = run("first", true);
    expect([engine.takes("image", false), engine.takes("video", false)]).toEqual([false, false]);
    await expect(alone).rejects.toMatchObject({ of: "one", doubt: { failure: { code: "engine_timeout" } } });
  },
);
