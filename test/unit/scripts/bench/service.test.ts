import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gridArea } from "@segmentation/masks";
import { hostTimes } from "../../../../scripts/shared/processes.ts";
import { hostReport } from "../../../../scripts/bench/service/host.ts";
import { loadModel } from "../../../../scripts/bench/service/gpu/model.ts";
import { throughputReport } from "../../../../scripts/bench/service/throughput.ts";
import { ratePerSecond } from "../../../../scripts/bench/report.ts";
import { soakReport } from "../../../support/soak/soak.ts";
import { residentIn, thirds } from "../../../support/soak/soak-memory.ts";

describe("the benchmark of the service", () => {
  it("says the rate of pictures, and its share of the bare loop's", () => {
    const round = { perSecond: 9, bare: 10, stages: { infer: 100 } };
    const lines = throughputReport([
      { ...round, model: "real", offered: 1 },
      { ...round, model: "real", offered: 4 },
    ]);
    expect(lines).toContain("| median [least–most] | 1 at once (1) | 4 at once (1) |");
    expect(lines).toContain("| **÷ bare loop** | 0.900 [0.900–0.900] | 0.900 [0.900–0.900] |");
    expect(lines).toContain("| infer, ms | 100.0 [100.0–100.0] | 100.0 [100.0–100.0] |");
    expect(ratePerSecond(3, 1_500)).toBe(2);
  });

  it("reports a picture's host time, and the device's load", () => {
    const round = {
      cost: 30,
      atOnce: 4,
      perSecond: 30,
      service: 20,
      engine: 60,
      mainThread: 25,
      stretch: 1,
    };
    const lines = hostReport(2, [round]);
    expect(lines).toContain("| median [least–most] | 30 ms, 4 at once (1) |");
    expect(lines).toContain("| **÷ the device's limit** | 0.90 [0.90–0.90] |");
    expect(lines).toContain("| processor time per picture, ms | 80 [80–80] |");
    expect(lines).toContain("| pictures per second that one main thread allows | 40.0 [40.0–40.0] |");
  });

  it("counts an engine's processor time, and that of its main thread apart", async () => {
    const mark = { SEGMENTATION_BENCH: randomUUID() };
    // Two threads of a process that Linux lists as an engine: the other one works three times as long.
    const busy = (ms: number): string => `const end = Date.now() + ${ms}; while (Date.now() < end);`;
    const script = `new (require("node:worker_threads").Worker)(${JSON.stringify(busy(900))}, { eval: true })
      .on("exit", () => console.log("done")); ${busy(300)}; setInterval(() => {}, 1_000);`;
    const child = spawn(process.execPath, ["-e", script, "engine/child.ts"], {
      env: { ...process.env, ...mark },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      await once(child.stdout, "data");
      const { service, engine, mainThread } = hostTimes(mark);
      expect(service).toBe(0);
      expect(mainThread).toBeGreaterThan(0);
      expect(engine).toBeGreaterThan(mainThread);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it("replaces a GPU, with SAM 2's tensors and twenty masks", async () => {
    const model = await loadModel();
    const [width, height] = [64, 48];
    const picture = { width, height, rgb: new Uint8Array(3 * width * height), contentHash: "0".repeat(64) };
    const request = { prompts: ["20 ms"], threshold: 0.5, withFaint: false };
    const found = await model.segment(picture, request);
    const again = await model.segment(picture, request);
    await model.close();
    expect(found.instances.map(({ mask }) => gridArea(mask) > 0)).toEqual(
      Array.from({ length: 20 }, () => true),
    );
    for (const { modelMs } of [found, again]) expect(modelMs).toBeGreaterThanOrEqual(19);
  });

  it("sets the last third of the memory's samples against the first", () => {
    const rising = Array.from({ length: 9 }, (_, n) => ({ service: 100e6, engine: (n + 1) * 100e6 }));
    const outcomes = new Map([
      ["picture", 7],
      ["image_empty", 2],
    ]);
    const lines = soakReport({ minutes: 1, outcomes, samples: rising });
    expect(lines[0]).toBe("9 tasks in 1 min: 7 picture, 2 image_empty.");
    expect(lines).toContain("| service | 100 | 100 | 100 | 1.00 | 100 |");
    expect(lines).toContain("| engine | 200 | 500 | 800 | 4.00 | 900 |");
  });

  it("finds ascending thirds of ascending values", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 3 }), (values) => {
        const [first, middle, last] = thirds(values.toSorted((a, b) => a - b));
        expect(first).toBeLessThanOrEqual(middle);
        expect(middle).toBeLessThanOrEqual(last);
      }),
    );
  });

  it("reads a process's resident memory from Linux", async () => {
    const resident = residentIn(await readFile("/proc/self/status", "utf8"));
    expect(resident).toBeGreaterThanOrEqual(process.memoryUsage.rss() / 2);
    expect(residentIn("Name:\tzombie\n")).toBe(0);
  });
});
