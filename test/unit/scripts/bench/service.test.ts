import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { throughputReport } from "../../../../scripts/bench/service/throughput.ts";
import { ratePerSecond } from "../../../../scripts/bench/report.ts";
import { soakReport } from "../../../support/soak/soak.ts";
import { residentIn, thirds } from "../../../support/soak/soak-memory.ts";

describe("the benchmark of the service", () => {
  it("says the rate of pictures, and its share of the bare loop's and of the limit", () => {
    const round = { perSecond: 9, bare: 10, stages: { infer: 100 } };
    const lines = throughputReport([
      { ...round, model: "fixed", offered: 1, limit: 12 },
      { ...round, model: "fixed", offered: 4, limit: 12 },
      { ...round, model: "real", offered: 4, limit: null },
    ]);
    const [fixed = "", real = ""] = lines.join("\n").split("Model: real");
    expect(fixed).toContain("| median [least–most] | 1 at once (1) | 4 at once (1) |");
    expect(fixed).toContain("| **÷ bare loop** | 0.900 [0.900–0.900] | 0.900 [0.900–0.900] |");
    expect(fixed).toContain("| **÷ limit of the fixed cost** | 0.750 [0.750–0.750] |");
    expect(real).toContain("| infer, ms | 100.0 [100.0–100.0] |");
    expect(real).not.toContain("limit");
    expect(ratePerSecond(3, 1_500)).toBe(2);
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

  it("finds thirds that ascend where the values do", () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 3 }), (values) => {
        const [first, middle, last] = thirds(values.toSorted((a, b) => a - b));
        expect(first).toBeLessThanOrEqual(middle);
        expect(middle).toBeLessThanOrEqual(last);
      }),
    );
  });

  it("reads a process' resident memory from what Linux says of it", async () => {
    const resident = residentIn(await readFile("/proc/self/status", "utf8"));
    expect(resident).toBeGreaterThanOrEqual(process.memoryUsage.rss() / 2);
    expect(residentIn("Name:\tzombie\n")).toBe(0);
  });
});
