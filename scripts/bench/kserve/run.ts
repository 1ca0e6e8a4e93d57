/** How much of a model server's throughput the service reaches, with as many requests at once as the server works on. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RequestBody, writeRequest } from "../../../inference-container/src/models/kserve/request.ts";
import { ModelServer } from "../../../inference-container/src/models/kserve/server.ts";
import { plantedFolder } from "../../../inference-container/test/models/kserve/planted-folder.ts";
import { MODEL } from "../../../inference-container/test/support/played-request.ts";
import { MODEL as TRITON_MODEL, startTriton } from "../../../test/support/node/triton/start-triton.ts";
import { startListeningChild } from "../../stack/child.ts";
import type { BenchRequest } from "../arguments.ts";
import { type BenchPicture, benchPicture, largePicture } from "../pictures/bench-picture.ts";
import { ratePerSecond, type Row, spreadTable } from "../report.ts";
import { type BenchService, withService } from "../service/with-service.ts";

const AT_ONCE = [4, 8, 16] as const;
/** Pictures per second that the server could process. */
const RATES = [10, 20] as const;
/** Requests that wait at the service beside those in flight, so that it never runs out. */
const WAITING = 6;
/** Open requests beside those that the server works on: while it works, these are on their way. */
const ON_THEIR_WAY = 2;
/** A prompt for which both servers find six objects. */
const SIX = "six";
/** How long one measurement takes at the limit, in seconds. */
const SECONDS = 15;
const QUICK_SECONDS = 5;

/** Pictures per second. */
interface Round {
  readonly service: number;
  /** Requests alone, without the service. */
  readonly bare: number;
  readonly limit: number;
}

const RATES_TABLE: readonly Row<Round>[] = [
  ["pictures per second", ({ service }) => service, 2],
  ["the same requests alone, per second", ({ bare }) => bare, 2],
];

/** A server that processes `atOnce` requests at a time, each in `cost` milliseconds. */
interface Kind {
  readonly name: string;
  readonly model: string;
  readonly rates: readonly number[];
  readonly table: readonly Row<Round>[];
  /** @param logs the folder for its log */
  start(atOnce: number, cost: number, logs: string, signal: AbortSignal): Promise<Running>;
}

interface Running {
  readonly origin: string;
  stop(): Promise<void>;
}

const KINDS: Readonly<Record<string, Kind>> = {
  played: {
    name: "A simulated server",
    model: MODEL,
    rates: RATES,
    table: [
      ...RATES_TABLE,
      ["**÷ the server's limit**", ({ service, limit }) => service / limit, 3],
      ["the same requests alone ÷ the limit", ({ bare, limit }) => bare / limit, 3],
    ],
    start: async (atOnce, cost, logs, signal) => {
      const args = [join("scripts", "bench", "kserve", "played-server.ts"), String(atOnce), String(cost)];
      const logFile = join(logs, "server.log");
      const options = { name: "The simulated model server", args, env: process.env, logFile };
      const { child, url } = await startListeningChild(options, signal);
      return { origin: url, stop: () => child.stop(1_000) };
    },
  },
  // Triton's own work takes processor time, too: its limit is what the same requests reach alone.
  triton: {
    name: "Triton with a model",
    model: TRITON_MODEL,
    rates: RATES.slice(0, 1),
    table: [...RATES_TABLE, ["**÷ the same requests alone**", ({ service, bare }) => service / bare, 3]],
    start: async (atOnce, cost) => {
      const triton = await startTriton({ instances: atOnce, costMs: cost });
      const stop = async (): Promise<void> => {
        await triton[Symbol.asyncDispose]();
      };
      return { origin: triton.origin, stop };
    },
  },
};

/** Measures the service and bare requests, which take turns at going first. */
export async function benchKserve(request: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  for (const part of request.parts) {
    const kind = KINDS[part];
    if (kind !== undefined) lines.push(...(await benchKind(kind, request, signal)));
  }
  return lines;
}

async function benchKind(
  kind: Kind,
  { rounds, quick }: BenchRequest,
  signal: AbortSignal,
): Promise<string[]> {
  const small = await Promise.all([0, 1, 2].map(benchPicture));
  const pictures = [...small, await largePicture(1)];
  const lines: string[] = [];
  for (const rate of kind.rates) {
    const columns = [];
    for (const atOnce of AT_ONCE) {
      // A multiple of what the server works on at once: nearly all its places are taken until the end.
      const counted = atOnce * Math.ceil(((quick ? QUICK_SECONDS : SECONDS) * rate) / atOnce);
      const runs = await measure({ kind, atOnce, rate, counted, rounds, pictures, signal });
      columns.push({ heading: `${atOnce} at once`, runs });
    }
    lines.push(
      "",
      `${kind.name} that processes ${rate} pictures per second:`,
      "",
      ...spreadTable(kind.table, columns),
    );
  }
  return lines;
}

interface Scenario {
  readonly kind: Kind;
  readonly atOnce: number;
  readonly rate: number;
  readonly counted: number;
  readonly rounds: number;
  readonly pictures: readonly BenchPicture[];
  readonly signal: AbortSignal;
}

async function measure(scenario: Scenario): Promise<Round[]> {
  const { kind, atOnce, rate, rounds, signal } = scenario;
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  const server = await kind.start(atOnce, (1_000 * atOnce) / rate, folder, signal);
  try {
    const modelFolder = await plantedFolder(join(folder, "model"), server.origin, {
      server: { model: kind.model, concurrency: atOnce + ON_THEIR_WAY },
    });
    // A report comes before its place is free: with less room, a task might have to give way.
    const settings = { QUEUE_CAPACITY: "64" };
    return await withService({ modelFolder, settings }, {}, signal, async (service) => {
      await throughService(service, scenario, 2 * atOnce);
      const measured: Round[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const alone = () => bareRequests(server.origin, scenario);
        const before = round % 2 === 0 ? await alone() : undefined;
        const ofService = await throughService(service, scenario, scenario.counted);
        measured.push({ service: ofService, bare: before ?? (await alone()), limit: rate });
        console.error(`${atOnce} at once of ${rate} per second: ${(ofService / rate).toFixed(3)}`);
      }
      return measured;
    });
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Keeps more tasks at the service than it may have in flight, until `count` are done. */
async function throughService(
  service: BenchService,
  { atOnce, pictures }: Scenario,
  count: number,
): Promise<number> {
  const { worker } = service;
  for (const [n, { file }] of pictures.entries()) worker.inputs.set(`picture-${n}`, Buffer.from(file));
  const requests = Array.from({ length: count }, (_, n) =>
    worker.request({
      prompts: [SIX],
      inputUrl: `${worker.origin}/inputs/picture-${n % pictures.length}`,
      limits: { inputBytes: 50_000_000, inputPixels: 36_000_000, masks: 100 },
    }),
  ).values();
  return rated(count, 2 * (atOnce + ON_THEIR_WAY) + 1 + WAITING, async () => {
    for (const request of requests) {
      const { outcome } = await service.finish(request);
      if (outcome !== "success") throw new Error(`A task of the benchmark ended as ${outcome}.`);
    }
  });
}

/** Sends the requests that the service would send, as many at a time. */
async function bareRequests(
  origin: string,
  { kind, atOnce, counted, pictures, signal }: Scenario,
): Promise<number> {
  const server = new ModelServer(
    { origin, model: kind.model, concurrency: atOnce + ON_THEIR_WAY },
    undefined,
  );
  const bodies = pictures.map(({ picture }): RequestBody => {
    const task = { key: "bare", lane: "bulk" } as const;
    const asked = { picture, prompts: [SIX], regions: [], threshold: 0.5, contentHash: null, task };
    return writeRequest({ ...asked, timeoutMs: 60_000 });
  });
  const remaining = Array.from({ length: counted }, (_, n) => bodies[n % bodies.length]).values();
  return rated(counted, atOnce + ON_THEIR_WAY, async () => {
    for (const body of remaining) {
      if (body === undefined) continue;
      const answer = await server.infer(body.bytes, body.headerBytes, signal);
      await answer.arrayBuffer();
    }
  });
}

/** The rate at which several workers together complete a number of calls. */
async function rated(count: number, workers: number, work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await Promise.all(Array.from({ length: workers }, work));
  return ratePerSecond(count, performance.now() - begun);
}
