import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { billTables, FIGURES, JobUse, labelOf } from "../../../../scripts/bench/capacity/bill.ts";

const useBy = (of: (key: keyof JobUse) => number): JobUse =>
  JobUse.parse(Object.fromEntries(FIGURES.map((key) => [key, of(key)])));
const NOTHING = useBy(() => 0);

describe("the bill of a deployment", () => {
  it("bills usage beyond the included quantity at its price; storage and rows as the page says", () => {
    const single = { ...NOTHING, requests: 100, rowsWritten: 40, bytes: 2_000 };
    const lines = billTables({ single, batch: { ...NOTHING, rowsWritten: 1_000 } }, [10_000]);
    // 10,000 accounts make 6 million single pictures and 300,000 batches in 30 days.
    expect(lines).toContain("| Workers: requests | 600,000,000 | $177.00 |");
    // Twice 240 and 300 million.
    expect(lines).toContain("| D1: rows written | 1,080,000,000 | $1,030.00 |");
    expect(lines).toContain("| D1: storage, GB | 12 | $5.25 |");
    expect(lines).toContain("| databases, by their size | 2 |");
    expect(lines).toContain("| D1: rows read | 0 | $0.00 |");
  });

  it("is on the page of limits as it follows from the measured figures", () => {
    const measured = readFileSync("docs/contributing/performance.md", "utf8");
    const page = readFileSync("docs/limits.md", "utf8");
    const column = (of: number): JobUse =>
      useBy((key) => {
        const row = measured.split("\n").find((line) => line.startsWith(`| ${labelOf(key)} | `));
        return Number(row?.split(" | ")[of]?.replace(" |", ""));
      });
    for (const line of billTables({ single: column(1), batch: column(2) })) expect(page).toContain(line);
  });
});
