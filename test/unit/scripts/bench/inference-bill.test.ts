import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { inferenceTable } from "../../../../scripts/bench/capacity/inference-bill.ts";

const costs = (row: number, pictures: number): string[] =>
  (inferenceTable([pictures])[2 + row] ?? "")
    .split(" | ")
    .slice(1)
    .map((cell) => cell.replace(" |", ""));

describe("the bill of inference", () => {
  it("has nothing for a container within the included amounts, and a GPU's start and wait for each visit", () => {
    // 10 visits of 10 pictures: 1,500 s of waiting and 510 s of work.
    expect(costs(0, 100)).toEqual(["0.6", "$0.00"]);
    // 10 × 1,020 s and 20 s of work, at $2 an hour.
    expect(costs(1, 100)).toEqual(["2.8", "$5.68"]);
    expect(costs(2, 100)).toEqual(["720", "$1,440.00"]);
  });

  it("never has less awake than the work takes, nor idle machines next to a busy one", () => {
    // 5.1 million seconds, beyond the included amounts: $203.55 for vCPUs, $101.78 for memory, $5.66 for the disk.
    expect(costs(0, 1_000_000)).toEqual(["1,417", "$310.99"]);
    expect(costs(1, 1_000_000)).toEqual(["720", "$1,440.00"]);
  });

  it("is on the page of limits as computed", () => {
    const page = readFileSync("docs/limits.md", "utf8");
    for (const line of inferenceTable()) expect(page).toContain(line);
  });
});
