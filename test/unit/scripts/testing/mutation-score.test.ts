import { globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  CORE,
  changeOf,
  readEquivalents,
  rowOf,
  scores,
  share,
  total,
  type Mutant,
} from "../../../../scripts/testing/mutation-score.ts";

const SOURCE = `const least = 1;
const isMany = (count: number) =>
  count > least || count < 0;
`;

const mutant = (changes: Partial<Mutant> = {}): Mutant => ({
  file: "src/jobs/rules/many.ts",
  mutator: "LogicalOperator",
  location: { start: { line: 3, column: 3 }, end: { line: 3, column: 29 } },
  replacement: "count > least && count < 0",
  status: "Survived",
  ...changes,
});

describe("the score of a mutation run", () => {
  it("counts noticed mutants, by failure or endless runs, out of all that could run", () => {
    const statuses = [
      "Killed",
      "Timeout",
      "Survived",
      "NoCoverage",
      "CompileError",
      "RuntimeError",
      "Ignored",
    ] as const;
    const all = [
      ...statuses.map((status) => mutant({ status })),
      mutant({ file: "src/jobs/rules/few.ts", status: "Killed" }),
    ];
    expect([...scores(all)]).toEqual([
      ["src/jobs/rules/few.ts", { mutants: 1, killed: 1 }],
      ["src/jobs/rules/many.ts", { mutants: 4, killed: 2 }],
    ]);
    expect(total(scores(all).values())).toEqual({ mutants: 5, killed: 3 });
    expect(share({ mutants: 5, killed: 3 })).toBe(0.6);
  });
});

describe("a mutant that changes nothing", () => {
  it("is recognized by its change at any place of its file", () => {
    const row =
      "| `src/jobs/rules/many.ts` | LogicalOperator | `count > least \\|\\| count < 0` | `count > least && count < 0` |";
    const here = changeOf(mutant(), SOURCE);
    expect(rowOf(here)).toBe(row);
    const lower = mutant({ location: { start: { line: 5, column: 3 }, end: { line: 5, column: 29 } } });
    expect(changeOf(lower, `\n\n${SOURCE}`)).toEqual(here);
    expect(readEquivalents(`# Title\n\n| file | … |\n|---|---|\n${row} both are false |\n`)).toEqual([here]);
  });

  it("is compared without its line breaks", () => {
    const both = mutant({
      location: { start: { line: 2, column: 31 }, end: { line: 3, column: 16 } },
      replacement: "() =>\n  undefined",
    });
    expect(changeOf(both, SOURCE)).toMatchObject({ from: "=> count > least", to: "() => undefined" });
  });

  it("is listed for a file that exists and with a reason, in a row that can be read", () => {
    const page = readFileSync("test/unit/survivors.md", "utf8");
    const rows = page.split("\n").filter((line) => line.startsWith("| `"));
    const listed = readEquivalents(page);
    expect(listed.length).toBe(rows.length);
    const files = globSync(CORE);
    for (const { file } of listed) expect(files).toContain(file);
  });
});
