import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runVideo } from "../../../../inference-container/src/engine/run-video.ts";
import { findFfmpeg } from "../../../../inference-container/src/video/ffmpeg.ts";
import { processorTimeIn, peakIn, roleOf, watchMemory } from "../../../../scripts/shared/processes.ts";
import { spread, spreadTable } from "../../../../scripts/bench/report.ts";
import { collectTimes } from "../../../../scripts/bench/task-times.ts";
import { makeClip } from "../../../../scripts/bench/video/make-clip.ts";
import { measureParts } from "../../../../scripts/bench/video/parts.ts";
import { loadModel } from "../../../../scripts/bench/video/fake-model.ts";
import { isLong } from "../../../../inference-container/test/support/form.ts";

describe("the benchmark's figures", () => {
  it("are a median with the least and the most around it", () => {
    expect(spread([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3 });
    expect(spread([4, 1, 2, 3])).toEqual({ median: 2.5, least: 1, most: 4 });
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 }), (values) => {
        const { median, least, most } = spread(values);
        expect(least).toBe(Math.min(...values));
        expect(most).toBe(Math.max(...values));
        const below = values.filter((value) => value < median).length;
        const above = values.filter((value) => value > median).length;
        expect(Math.max(below, above)).toBeLessThanOrEqual(values.length / 2);
      }),
    );
  });

  it("are in a table with a column for each kind of run", () => {
    const rows = [["time, s", (ms: number) => ms / 1_000, 1]] as const;
    const columns = [
      { heading: "slow", runs: [2_000, 4_000, 3_000] },
      { heading: "fast", runs: [100] },
    ];
    expect(spreadTable(rows, columns)).toEqual([
      "| median [least–most] | slow (3) | fast (1) |",
      "| --- | ---: | ---: |",
      "| time, s | 3.0 [2.0–4.0] | 0.1 [0.1–0.1] |",
    ]);
  });

  it("come from the service's line about a task, read before or after the question for it", async () => {
    const { onLine, timesOf } = collectTimes();
    const early = timesOf("job_1");
    for (const [job, outcome] of [
      ["job_1", "success"],
      ["job_2", "success"],
      ["job_3", "failed"],
    ]) {
      onLine(`{"msg":"listening","port":1}`);
      onLine(JSON.stringify({ msg: "task", key: `${job}.0.lease`, outcome, code: "odd", ms: { infer: 7 } }));
    }
    expect((await early).ms).toEqual({ infer: 7 });
    expect((await timesOf("job_2")).ms).toEqual({ infer: 7 });
    await expect(timesOf("job_3")).rejects.toThrow("failed: odd");
  });
});

describe("the benchmark of a video", () => {
  let folder: string;
  let clip: string;
  const ffmpeg = findFfmpeg(process.env);
  const { signal } = new AbortController();
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "bench-test-"));
    clip = join(folder, "clip.mp4");
    await makeClip(ffmpeg, clip, 1, 12);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const task = (prompt = "1 ms") => ({
    type: "video" as const,
    key: "bench",
    lane: "bulk" as const,
    inputPath: clip,
    folder,
    prompts: [prompt],
    generatePreview: true,
    limits: { inputBytes: 2_000_000_000, inputPixels: 36_000_000, seconds: 7_200, frames: 3_600 },
    scoreThreshold: 0,
    sampling: { fps: null, numFrames: null, maxFrames: null },
  });

  it("has a fake model that finds two objects and keeps to prompts that name a cost", async () => {
    const model = await loadModel();
    const picture = { width: 60, height: 40, rgb: new Uint8Array(60 * 40 * 3), contentHash: null };
    const request = { prompts: ["1 ms", "cat"], threshold: 0, withFaint: false };
    const { instances, unserved, modelMs } = await model.segment(picture, request);
    expect(modelMs).toBe(1);
    expect(unserved.map(({ promptIndex }) => promptIndex)).toEqual([1]);
    expect(instances.map(({ promptIndex }) => promptIndex)).toEqual([0, 0]);
    for (const { box, score } of instances) {
      const [x1, y1, x2, y2] = box;
      expect(0 <= x1 && x1 < x2 && x2 <= 60 && 0 <= y1 && y1 < y2 && y2 <= 40).toBe(true);
      expect(score > 0 && score <= 1).toBe(true);
    }
  });

  it.runIf(isLong)(
    "does each part of the engine's work alone, and sees its FFmpegs' peaks by purpose",
    async () => {
      const model = await loadModel();
      const parts = await measureParts({ ffmpeg, task: task(), model, signal });
      const alone = await readFile(join(folder, "masks.json"), "utf8");
      expect(parts.frames).toBe(6);
      const hooks = { at: () => undefined, progress: () => undefined, signal };
      const mark = { SEGMENTATION_BENCH: randomUUID() };
      process.env["SEGMENTATION_BENCH"] = mark.SEGMENTATION_BENCH;
      const watch = watchMemory(mark);
      const result = await runVideo(await loadModel(), ffmpeg, task("50 ms"), hooks);
      delete process.env["SEGMENTATION_BENCH"];
      const peaks = watch.stop();
      expect(result).toMatchObject({ frames: 6, framesWithMasks: 6, totalMasks: 12 });
      expect(await readFile(join(folder, "masks.json"), "utf8")).toBe(alone);
      expect(peaks.decoder).toBeGreaterThan(1e6);
      expect(peaks.encoder).toBeGreaterThan(1e6);
      expect(peaks.engine).toBe(0);
    },
  );

  it("reads a process's user and system time, for any command name", () => {
    const stat = "42 (a b) c) S 1 42 42 0 -1 4194304 100 0 0 0 7 5 0 0 20 0 1 0 100 1 1";
    expect(processorTimeIn(stat)).toBe(120);
  });

  it("reads a process's peak from Linux", async () => {
    const peak = peakIn(await readFile("/proc/self/status", "utf8"));
    expect(peak).toBeGreaterThanOrEqual(process.memoryUsage.rss() / 2);
    expect(peakIn("Name:\tzombie\nState:\tZ (zombie)\n")).toBe(0);
    expect(roleOf(["node", "/x/inference-container/src/engine/child.ts", "{}"])).toBe("engine");
    expect(roleOf(["node", "scripts/bench/video/fake-service.ts"])).toBe("service");
    expect(roleOf(["bash"])).toBeNull();
  });
});
