import { request } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { BenchRequest } from "../arguments.ts";
import { type BenchWorker, migrationStatements, withWorker } from "../with-worker.ts";
import { formatSpread, spread, markdownTable } from "../report.ts";

const CLIENTS = 200;
/** For how long the database's calls are counted while all wait. */
const QUIET_MS = 2_000;
const LOOK_EVERY_MS = 5;

const Jobs = z.array(z.object({ jobId: z.string(), taskId: z.string() }));
type Jobs = z.infer<typeof Jobs>;

/** What one round measured; times in milliseconds. */
interface Round {
  /** For each client, from the report of its job's end to its answer. */
  readonly answered: readonly number[];
  /** Calls of the database while all clients waited. */
  readonly calls: number;
  /** From the moment all clients disconnect until no request is held. */
  readonly freed: number;
  /** How long one check of all objects takes: `freed` includes at least one. */
  readonly look: number;
}

/** A client whose request is held. */
interface Client {
  /** When it had its answer, epoch ms. @throws if its job had not succeeded then */
  readonly answeredAt: Promise<number>;
  /** Closes its connection. If it merely ended its side, the runtime would assume that it still reads. */
  readonly goAway: () => void;
}

function ask({ origin }: BenchWorker, key: string, jobId: string): Client {
  const headers = { authorization: `Bearer ${key}`, prefer: "wait=60" };
  const asked = request(new URL(`/v1/jobs/${jobId}`, origin), { headers, agent: false });
  const answeredAt = new Promise<number>((resolve, reject) => {
    asked.on("error", reject).on("response", (answer) => {
      text(answer).then((body) => {
        const { status } = z.object({ status: z.string() }).parse(JSON.parse(body));
        if (status !== "success") throw new Error(`a client got its answer while its job was ${status}`);
        return resolve(Date.now());
      }, reject);
    });
    asked.end();
  });
  // A failure surfaces where it is awaited.
  answeredAt.catch(() => undefined);
  return { answeredAt, goAway: () => asked.socket?.resetAndDestroy() };
}

const count = async (worker: BenchWorker, command: object): Promise<number> =>
  z.number().parse(await worker.call(command));

/** Resolves when this many requests for these jobs are held. */
async function held(worker: BenchWorker, jobs: Jobs, requests: number): Promise<void> {
  const jobIds = jobs.map(({ jobId }) => jobId);
  while ((await count(worker, { do: "waits", jobIds })) !== requests) await sleep(LOOK_EVERY_MS);
}

async function measureRound(worker: BenchWorker, key: string): Promise<Round> {
  const jobs = Jobs.parse(await worker.call({ do: "create", key, jobs: CLIENTS }));
  const waitForAll = async (): Promise<Client[]> => {
    const clients = jobs.map(({ jobId }) => ask(worker, key, jobId));
    await held(worker, jobs, CLIENTS);
    return clients;
  };
  const impatient = await waitForAll();
  const goneAt = performance.now();
  for (const { goAway } of impatient) goAway();
  await held(worker, jobs, 0);
  const freedAt = performance.now();
  await held(worker, jobs, 0);
  const look = performance.now() - freedAt;

  const patient = await waitForAll();
  const before = await count(worker, { do: "calls" });
  await sleep(QUIET_MS);
  const calls = (await count(worker, { do: "calls" })) - before;
  const answered: number[] = [];
  for (const [i, client] of patient.entries()) {
    const reportedAt = await count(worker, { do: "end", ...jobs[i] });
    answered.push((await client.answeredAt) - reportedAt);
  }
  return { answered, calls, freed: freedAt - goneAt, look };
}

const row = (label: string, values: readonly number[]): string[] => [label, formatSpread(spread(values))];

/** Lets 200 clients wait for 200 jobs, and measures how soon each is answered after its job's end; the report's lines. */
export async function benchWaiting({ rounds }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  return withWorker(signal, { entrypoint: "waiting.ts" }, async (worker) => {
    const opened = await worker.call({ do: "open", statements: await migrationStatements() });
    const key = z.string().parse(opened);
    const measured: Round[] = [];
    for (let i = 1; i <= rounds; i += 1) {
      console.error(`Round ${i} of ${rounds}: ${CLIENTS} clients wait for ${CLIENTS} jobs…`);
      measured.push(await measureRound(worker, key));
    }
    return [
      "",
      ...markdownTable(
        [`${CLIENTS} clients, ${rounds} rounds`, "median [least–most]"],
        [
          row(
            "from the report of a job's end to its client's answer, ms",
            measured.flatMap(({ answered }) => answered),
          ),
          row(
            `database calls in ${QUIET_MS / 1_000} s while all clients wait`,
            measured.map(({ calls }) => calls),
          ),
          row(
            "from the last client disconnecting until no request is held, ms",
            measured.map(({ freed }) => freed),
          ),
          row(
            "one check of all JobObjects (the row above includes at least one), ms",
            measured.map(({ look }) => look),
          ),
        ],
      ),
    ];
  });
}
