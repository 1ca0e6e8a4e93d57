import { type Row, spreadTable } from "../table.ts";
import { KINDS, type Measurement } from "./measure.ts";

/** The service's stages, in the order in which a task passes through them. */
const STAGES = ["queue", "fetch", "wait", "decode", "infer", "post", "encode", "upload", "commit"] as const;

const stage = ({ stages }: Measurement, name: string): number => stages[name] ?? 0;
const inService = (run: Measurement): number => STAGES.reduce((sum, name) => sum + stage(run, name), 0);

const ROWS: readonly Row<Measurement>[] = [
  ["whole path, ms", ({ whole }) => whole, 0],
  ["the model's graphs in it, ms", (run) => stage(run, "model"), 0],
  ["**share that is not the model's, %**", (run) => 100 * (1 - stage(run, "model") / run.whole), 1],
  ["createJob, queue, dispatch, poll, ms", (run) => run.whole - inService(run), 0],
  ...STAGES.filter((name) => name !== "infer").map(
    (name) => [`${name}, ms`, (run: Measurement) => stage(run, name), 1] as const,
  ),
  ["infer without the graphs, ms", (run) => stage(run, "infer") - stage(run, "model"), 1],
  ["bare ONNX Runtime loop, ms", ({ bare }) => bare, 0],
  ["**whole path ÷ bare loop**", (run) => run.whole / run.bare, 2],
];

/** The measurements as a Markdown table. */
export function report(runs: readonly Measurement[]): string[] {
  return spreadTable(
    ROWS,
    KINDS.map((heading) => ({ heading, runs: runs.filter(({ kind }) => kind === heading) })).filter(
      ({ runs: ofKind }) => ofKind.length > 0,
    ),
  );
}
