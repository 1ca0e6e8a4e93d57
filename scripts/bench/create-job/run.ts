import { randomBytes } from "node:crypto";
import { servedDatabase } from "../../admin/database.ts";
import { operatorApiAt } from "../../admin/operator-api.ts";
import { DEFAULT_POLICY } from "../../../src/core/jobs/policy.ts";
import type { BenchRequest } from "../arguments.ts";
import { startIdleService } from "../idle-service.ts";
import { processorTime } from "../processes.ts";
import { markdownTable, spreadTable } from "../report.ts";
import { type BenchStack, withStack } from "../with-stack.ts";

/** The largest batch that a job takes. */
const BATCH = 100;

/** What one createJob took, from its request to its answer, in milliseconds. */
interface Call {
  readonly wall: number;
  /** Of all the stack's processes. */
  readonly processor: number;
}

/** A job of one picture, and one of a hundred. */
export interface Pair {
  readonly one: Call;
  readonly batch: Call;
}

/** With uploads that no job has seen, and with the same ones again. */
export interface Round {
  readonly unseen: Pair;
  readonly seen: Pair;
}

/** Measures createJob with one upload and with a hundred, in turns. Returns the report's lines. */
export async function benchCreateJob({ rounds }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const offers = countOffers();
  const service = await startIdleService(offers.count);
  try {
    const settings = {
      INFERENCE_URL: service.url,
      INFERENCE_TOKEN: randomBytes(24).toString("hex"),
      OPERATOR_TOKEN: randomBytes(24).toString("hex"),
      // No lease ends meanwhile, so no task comes again.
      LEASE_SECONDS: "3600",
    };
    return await withStack(
      signal,
      async (stack) => {
        const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
        const uploads: string[] = [];
        for (let i = 0; i <= BATCH; i += 1) uploads.push(await stack.client.upload(png, "image/png"));
        const database = servedDatabase(
          operatorApiAt(stack.address.baseUrl, settings.OPERATOR_TOKEN, signal),
        );
        const runs: Round[] = [];
        // The first round warms the path up and is not counted.
        for (let round = 0; round <= rounds; round += 1) {
          signal.throwIfAborted();
          await database.run(["UPDATE uploads SET etag = NULL, media = NULL"]);
          const unseen = await measurePair(stack, offers, uploads, round % 2 === 0);
          const seen = await measurePair(stack, offers, uploads, round % 2 === 0);
          if (round > 0) runs.push({ unseen, seen });
        }
        return report(runs);
      },
      async () => ({ settings }),
    );
  } finally {
    service.close();
  }
}

/** @param uploads one for the job of one picture, and the others for that of a hundred */
async function measurePair(
  { client, mark }: BenchStack,
  offers: Offers,
  uploads: readonly string[],
  isBatchFirst: boolean,
): Promise<Pair> {
  const time = async (tasks: readonly string[]): Promise<Call> => {
    const dispatched = offers.seen(Math.min(tasks.length, DEFAULT_POLICY.window));
    const before = processorTime(mark);
    const begun = performance.now();
    await client.createImageJob({ tasks: [...tasks], prompts: ["cat"] });
    const call = { wall: performance.now() - begun, processor: processorTime(mark) - before };
    // What the job starts would take processor time from the next one.
    await dispatched;
    return call;
  };
  const [single, hundred] = [uploads.slice(0, 1), uploads.slice(1)];
  const batchFirst = isBatchFirst ? await time(hundred) : null;
  const one = await time(single);
  return { one, batch: batchFirst ?? (await time(hundred)) };
}

/** The rounds as two Markdown tables: of wall time, and of processor time, on which other programs have no influence. */
export function report(rounds: readonly Round[]): string[] {
  const columns = [
    { heading: "uploads that no job has named", runs: rounds.map(({ unseen }) => unseen) },
    { heading: "the same again", runs: rounds.map(({ seen }) => seen) },
  ];
  return [
    ...spreadTable<Pair>(
      [
        ["createJob of 1 upload, ms", ({ one }) => one.wall, 1],
        [`createJob of ${BATCH} uploads, ms`, ({ batch }) => batch.wall, 1],
        [`**${BATCH} uploads ÷ 1**`, ({ one, batch }) => batch.wall / one.wall, 2],
      ],
      columns,
    ),
    "",
    ...markdownTable(
      [
        `the stack's processor time, mean of ${rounds.length} rounds`,
        "1 upload, ms",
        `${BATCH} uploads, ms`,
        `**${BATCH} uploads ÷ 1**`,
      ],
      columns.map(({ heading, runs }) => {
        const mean = (of: (pair: Pair) => Call): number =>
          runs.reduce((sum, pair) => sum + of(pair).processor, 0) / runs.length;
        const [one, batch] = [mean((pair) => pair.one), mean((pair) => pair.batch)];
        return [heading, one.toFixed(1), batch.toFixed(1), (batch / one).toFixed(2)];
      }),
    ),
  ];
}

interface Offers {
  /** Called with each. */
  readonly count: () => void;
  /** Resolves once as many more have been counted. */
  readonly seen: (tasks: number) => Promise<void>;
}

function countOffers(): Offers {
  let waiting: { tasks: number; done: () => void } | undefined;
  return {
    count: () => {
      if (waiting !== undefined && (waiting.tasks -= 1) === 0) waiting.done();
    },
    seen: (tasks) => new Promise((done) => void (waiting = { tasks, done })),
  };
}
