/** What joining runs into one could gain: a run of several rows compared with as many runs of one row. */
import { InferenceSession, Tensor } from "onnxruntime-node";
import { ensureBuiltin } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { type Row, spreadTable } from "../table.ts";
import { type JoinableGraph, joinableGraphs } from "./graphs.ts";

const ROWS = 4;
const WARM_UP = 2;

/** Milliseconds for the same rows. */
interface Round {
  readonly joined: number;
  readonly alone: number;
}

const TABLE: readonly Row<Round>[] = [
  [`one run of ${ROWS} rows, ms`, ({ joined }) => joined, 1],
  [`${ROWS} runs of one row, ms`, ({ alone }) => alone, 1],
  ["**alone ÷ joined**", ({ alone, joined }) => alone / joined, 3],
];

/** Measures on the CPU; the two ways take turns at going first. */
export async function benchJoins(rounds: number, signal: AbortSignal): Promise<string[]> {
  const columns = [];
  for (const graph of joinableGraphs(await ensureBuiltin()))
    columns.push({ heading: graph.name, runs: await measure(graph, rounds, signal) });
  return ["", ...spreadTable(TABLE, columns)];
}

async function measure(
  { name, file, feeds }: JoinableGraph,
  rounds: number,
  signal: AbortSignal,
): Promise<Round[]> {
  const timed = async (rows: number, times: number): Promise<() => Promise<number>> => {
    const source = file(rows);
    const session = await (typeof source === "string"
      ? InferenceSession.create(source)
      : InferenceSession.create(source));
    const fed = Object.fromEntries(
      Object.entries(feeds(rows)).map(([input, { type, dims }]) => {
        const count = dims.reduce((product, size) => product * size, 1);
        const values = type === "int64" ? new BigInt64Array(count).fill(1n) : new Float32Array(count).fill(1);
        return [input, new Tensor(type, values, dims)] as const;
      }),
    );
    return async () => {
      const begun = performance.now();
      for (let n = 0; n < times; n += 1) await session.run(fed);
      return performance.now() - begun;
    };
  };
  const [joined, alone] = [await timed(ROWS, 1), await timed(1, ROWS)];
  const measured: Round[] = [];
  for (let round = -WARM_UP; round < rounds; round += 1) {
    signal.throwIfAborted();
    const first = round % 2 === 0 ? await joined() : undefined;
    const ofAlone = await alone();
    const result = { joined: first ?? (await joined()), alone: ofAlone };
    if (round >= 0) measured.push(result);
  }
  console.error(name);
  return measured;
}
