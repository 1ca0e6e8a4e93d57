import type { ResultBench } from "../arguments.ts";
import { LARGE } from "./large-job.ts";
import { liveMemory } from "./live-memory.ts";
import { migrationStatements } from "../migrations.ts";
import { formatSpread, spread } from "../statistics.ts";
import { markdownTable } from "../table.ts";
import { peakMemory, processorTime } from "../workerd.ts";
import { type BenchWorker, withWorker } from "../workers-runtime.ts";

const MEGABYTE = 1_000_000;
/** Requests before the first that counts, so that the code is compiled, and requests for the peak of memory. */
const WARM_UP = 2;

const WAYS = ["present", "former", "rpc"] as const;
type Way = (typeof WAYS)[number];

/** What one answer cost. */
interface Cost {
  /** Processor time of the runtime, ms. */
  readonly processor: number;
  /** From the request to the end of the body, ms. */
  readonly whole: number;
  readonly megabytes: number;
}

async function withJob<T>(signal: AbortSignal, use: (worker: BenchWorker) => Promise<T>): Promise<T> {
  return withWorker("result", signal, async (worker) => {
    console.error(`Making a job of ${LARGE.tasks} tasks with ${LARGE.masksPerTask} masks each…`);
    await worker.call("fill", { statements: await migrationStatements() });
    return use(worker);
  });
}

async function costOf(worker: BenchWorker, way: Way): Promise<Cost> {
  const [processor, begun] = [processorTime(), performance.now()];
  const text = await (await worker.fetch(`/${way}`)).text();
  return {
    processor: processorTime() - processor,
    whole: performance.now() - begun,
    megabytes: text.length / MEGABYTE,
  };
}

/** An answer without the times of its signatures, to compare two. */
const timeless = (text: string): string =>
  text.replaceAll(/X-Amz-Date=\w+/g, "").replaceAll(/X-Amz-Signature=\w+/g, "");

async function assertAlike(worker: BenchWorker): Promise<void> {
  const read = async (way: Way) => timeless(await (await worker.fetch(`/${way}`)).text());
  const [present, former] = [await read("present"), await read("former")];
  if (present !== former) throw new Error("the two ways give different answers");
}

/** The growth of the runtime's peak of resident memory over a few answers of one kind, in a runtime of its own. */
async function memoryOf(way: Way, signal: AbortSignal): Promise<number> {
  return withJob(signal, async (worker) => {
    const before = peakMemory();
    for (let i = 0; i < WARM_UP; i += 1) await costOf(worker, way);
    return (peakMemory() - before) / MEGABYTE;
  });
}

/** Measures the result of the largest job, made in the present and in the former way; the report's lines. */
export async function benchResult({ rounds }: ResultBench, signal: AbortSignal): Promise<string[]> {
  const costs: Record<Way, Cost[]> = { present: [], former: [], rpc: [] };
  await withJob(signal, async (worker) => {
    await assertAlike(worker);
    for (let i = -WARM_UP; i < rounds; i += 1) {
      for (const way of i % 2 === 0 ? WAYS : WAYS.toReversed()) {
        const cost = await costOf(worker, way);
        if (i >= 0) costs[way].push(cost);
      }
    }
  });
  const memory: string[] = [];
  for (const way of WAYS) memory.push((await memoryOf(way, signal)).toFixed(0));
  const live = await liveMemory();

  const row = (label: string, value: (cost: Cost) => number, decimals = 0): string[] => [
    label,
    ...WAYS.map((way) => formatSpread(spread(costs[way].map(value)), decimals)),
  ];
  const ratios = costs.present.flatMap((cost, i) => {
    const former = costs.former[i];
    return former === undefined ? [] : [cost.processor / former.processor];
  });
  return [
    "",
    ...markdownTable(
      [`median [least–most] of ${rounds}`, "present", "former", "only the call of the JobObject"],
      [
        row("processor time of workerd, ms", ({ processor }) => processor),
        row("whole answer, ms", ({ whole }) => whole),
        row("body, MB", ({ megabytes }) => megabytes, 1),
        [`growth of workerd's peak resident memory over ${WARM_UP} answers, MB`, ...memory],
        [
          "memory that lives at once besides the job, MB",
          ...[live.present, live.former].map((bytes) => (bytes / MEGABYTE).toFixed(1)),
          "",
        ],
      ],
    ),
    "",
    `Processor time, present ÷ former: ${formatSpread(spread(ratios), 3)}.`,
  ];
}
