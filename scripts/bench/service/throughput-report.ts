import { type Row, spreadTable } from "../table.ts";
import type { Round } from "./throughput.ts";

/** The service's stages, in the order in which a task passes through them. */
const STAGES = ["queue", "fetch", "wait", "decode", "infer", "post", "encode", "upload", "commit"] as const;

const RATES: readonly Row<Round>[] = [
  ["pictures per second", ({ perSecond }) => perSecond, 2],
  ["bare loop, pictures per second", ({ bare }) => bare, 2],
  ["**÷ bare loop**", ({ perSecond, bare }) => perSecond / bare, 3],
];
const OF_LIMIT: Row<Round> = [
  "**÷ limit of the fixed cost**",
  ({ perSecond, limit }) => perSecond / (limit ?? Number.NaN),
  3,
];
const STAGE_ROWS: readonly Row<Round>[] = STAGES.map((name) => [
  `${name}, ms`,
  ({ stages }) => stages[name] ?? 0,
  1,
]);

/** The rounds as Markdown tables, one per model, with one column per number of tasks at once. */
export function throughputReport(rounds: readonly Round[]): string[] {
  const models = [...new Set(rounds.map(({ model }) => model))];
  const lines: string[] = [];
  for (const model of models) {
    const own = rounds.filter((round) => round.model === model);
    const limited = own.some(({ limit }) => limit !== null);
    const columns = [...new Set(own.map(({ offered }) => offered))].map((offered) => {
      return { heading: `${offered} at once`, runs: own.filter((round) => round.offered === offered) };
    });
    const rows = [...RATES, ...(limited ? [OF_LIMIT] : []), ...STAGE_ROWS];
    lines.push(`Model: ${model}`, "", ...spreadTable(rows, columns), "");
  }
  return lines;
}
