import { type Row, spreadTable } from "../table.ts";
import type { Round } from "./speed.ts";

/** The service's stages outside the engine. */
const AROUND = ["queue", "fetch", "wait", "upload", "commit"] as const;
/** The engine's stages: probing and waiting for frames, waiting for the model, and everything after it. */
const ENGINE = ["decode", "infer", "post", "encode"] as const;

const seconds = (ms: number): number => ms / 1_000;
const stage = ({ stages }: Round, name: string): number => stages[name] ?? 0;
const sumOf = (run: Round, names: readonly string[]): number =>
  names.reduce((sum, name) => sum + stage(run, name), 0);
const inEngine = (run: Round): number => sumOf(run, ENGINE);
const inService = (run: Round): number => inEngine(run) + sumOf(run, AROUND);
const sumOfParts = ({ parts: { decode, model, encode } }: Round): number => decode + model + encode;
const slowestPart = ({ parts: { decode, model, encode } }: Round): number => Math.max(decode, model, encode);

const ROWS: readonly Row<Round>[] = [
  ["frames", ({ parts }) => parts.frames, 0],
  ["whole path, s", ({ whole }) => seconds(whole), 2],
  ["– createJob, queue, dispatch, poll", (run) => seconds(run.whole - inService(run)), 2],
  ["– the service's queue, fetch, wait, upload, commit", (run) => seconds(sumOf(run, AROUND)), 2],
  ["– the engine", (run) => seconds(inEngine(run)), 2],
  ["– – probing, waiting for decoded frames", (run) => seconds(stage(run, "decode")), 2],
  ["– – waiting for the model", (run) => seconds(stage(run, "infer")), 2],
  ["– – masks, drawing, preview", (run) => seconds(stage(run, "post") + stage(run, "encode")), 2],
  ["parts alone: decode, s", ({ parts }) => seconds(parts.decode), 2],
  ["– probing", ({ parts }) => seconds(parts.probe), 2],
  ["parts alone: model, s", ({ parts }) => seconds(parts.model), 2],
  ["– keeping pictures open ÷ not", ({ parts }) => parts.open / parts.model, 2],
  ["– drawing one missed object per frame ÷ the model", ({ parts }) => parts.bridge / parts.model, 3],
  ["parts alone: encode, s", ({ parts }) => seconds(parts.encode), 2],
  ["– run lengths, tracking, masks.json", ({ parts }) => seconds(parts.masks), 2],
  ["– drawing", ({ parts }) => seconds(parts.draw), 2],
  ["– waiting for the preview's encoder", ({ parts }) => seconds(parts.preview), 2],
  ["sum of the parts, s", (run) => seconds(sumOfParts(run)), 2],
  ["frames per second: whole path", ({ whole, parts }) => parts.frames / seconds(whole), 2],
  ["frames per second: the engine", (run) => run.parts.frames / seconds(inEngine(run)), 2],
  ["frames per second: the parts one after another", (run) => run.parts.frames / seconds(sumOfParts(run)), 2],
  ["**whole path ÷ sum of the parts**", (run) => run.whole / sumOfParts(run), 2],
  ["**engine ÷ sum of the parts**", (run) => inEngine(run) / sumOfParts(run), 2],
  ["engine ÷ its slowest part", (run) => inEngine(run) / slowestPart(run), 2],
  [
    "**engine without waiting for the model ÷ decode and encode alone**",
    (run) => (inEngine(run) - stage(run, "infer")) / (run.parts.decode + run.parts.encode),
    2,
  ],
];

/** The rounds as a Markdown table with one column per model. */
export function speedReport(rounds: readonly Round[]): string[] {
  const models = [...new Set(rounds.map(({ model }) => model))];
  return spreadTable(
    ROWS,
    models.map((heading) => ({ heading, runs: rounds.filter(({ model }) => model === heading) })),
  );
}
