import { ensureBuiltin } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { loadModel } from "../../../inference-container/src/models/load.ts";
import type { Model } from "../../../inference-container/src/models/model.ts";
import type { BenchRequest } from "../arguments.ts";
import { type BenchPicture, benchPicture, largePicture } from "../pictures/bench-picture.ts";
import { providerOf } from "../../models/load-options.ts";
import { ratePerSecond, spread, type Row, spreadTable } from "../report.ts";
import { STAND_IN } from "../start-inference.ts";
import { STAGES, type TaskTimes } from "../task-times.ts";
import * as standIn from "../video/stand-in-model.ts";
import { type BenchService, withService } from "./with-service.ts";

/** The numbers of tasks at the service at once; a finished task is replaced. */
const OFFERED = [1, 2, 4, 8] as const;
/** How long a stand-in is measured at each number of tasks. */
const STAND_IN_MS = 3_000;
/** The number of pictures that the embedded model processes in a round, on the CPU and on a GPU. */
const BUILTIN_PICTURES = { cpu: 4, gpu: 60 } as const;

/** One number of tasks at once, compared with a bare loop over the same pictures, in pictures per second. */
export interface Round {
  readonly model: string;
  readonly offered: number;
  readonly perSecond: number;
  readonly bare: number;
  /** The limit that the model's fixed cost sets; null for a real model. */
  readonly limit: number | null;
  /** The medians of the service's stages, in milliseconds. */
  readonly stages: TaskTimes["ms"];
}

interface Scenario {
  readonly name: string;
  readonly model: Model;
  /** A stand-in's milliseconds per picture; null for a real model. */
  readonly cost: number | null;
  /** How many pictures one measurement processes. */
  readonly counted: number;
  readonly pictures: (count: number) => Promise<BenchPicture[]>;
}

interface Options extends Pick<BenchRequest, "rounds" | "quick"> {
  readonly signal: AbortSignal;
}

/** Measures the inference service with the embedded model and with stand-ins of a fixed cost. Returns the report's lines. */
export async function benchService(request: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const options = { ...request, signal };
  return ["", ...throughputReport([...(await measureStandIns(options)), ...(await measureBuiltin(options))])];
}

async function measureStandIns(options: Options): Promise<Round[]> {
  const model = await standIn.loadModel();
  const small = await Promise.all([0, 1, 2].map(benchPicture));
  const large = [await largePicture(12)];
  const scenario = (cost: number, kind: string, pictures: readonly BenchPicture[]): Scenario => ({
    name: `stand-in, ${cost} ms, ${kind}`,
    model,
    cost,
    counted: Math.ceil(STAND_IN_MS / cost / (options.quick ? 3 : 1)),
    pictures: (count) => Promise.resolve(Array.from({ length: count }, (_, n) => cycled(pictures, n))),
  });
  const scenarios = [
    ...[30, 100, 300].map((cost) => scenario(cost, "0.2 megapixels", small)),
    scenario(100, "12 megapixels", large),
  ];
  const rounds = await withService(STAND_IN, {}, options.signal, (service) =>
    measureScenarios(service, scenarios, options),
  );
  await model.close();
  return rounds;
}

async function measureBuiltin(options: Options): Promise<Round[]> {
  const modelFolder = await ensureBuiltin();
  // The service reads the same setting.
  const provider = providerOf(process.env["EXECUTION_PROVIDER"]);
  const model = await loadModel(modelFolder, { provider });
  let made = 0;
  const scenario: Scenario = {
    name: `embedded model on ${provider}`,
    model,
    cost: null,
    counted: BUILTIN_PICTURES[provider === "cpu" ? "cpu" : "gpu"] / (options.quick ? 2 : 1),
    // Never the same picture twice, because both sides cache the features of pictures.
    pictures: (count) => Promise.all(Array.from({ length: count }, () => benchPicture(made++))),
  };
  const rounds = await withService({ modelFolder }, {}, options.signal, (service) =>
    measureScenarios(service, [scenario], options),
  );
  await model.close();
  return rounds;
}

async function measureScenarios(
  service: BenchService,
  scenarios: readonly Scenario[],
  { rounds, signal }: Options,
): Promise<Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const scenario of scenarios) {
      for (const offered of OFFERED) {
        signal.throwIfAborted();
        const result = await measureRound(service, scenario, offered, round % 2 === 0);
        measured.push(result);
        console.error(
          `${scenario.name}, ${offered} at once: ${(result.perSecond / result.bare).toFixed(2)} of bare`,
        );
      }
    }
  }
  return measured;
}

async function measureRound(
  service: BenchService,
  scenario: Scenario,
  offered: number,
  bareFirst: boolean,
): Promise<Round> {
  const { name, model, cost, counted } = scenario;
  const pictures = await scenario.pictures(counted);
  const alone = () => bareLoop(scenario, pictures);
  const before = bareFirst ? await alone() : null;
  const { perSecond, stages } = await offer(service, scenario, pictures, offered);
  const bare = before ?? (await alone());
  return { model: `${name} ${model.version}`, offered, perSecond, bare, limit: cost && 1_000 / cost, stages };
}

const promptOf = ({ cost }: Scenario, { prompts }: BenchPicture): string =>
  cost === null ? prompts[0] : `${cost} ms`;

async function bareLoop(scenario: Scenario, pictures: readonly BenchPicture[]): Promise<number> {
  const begun = performance.now();
  for (const picture of pictures) {
    const prompts = [promptOf(scenario, picture)];
    await scenario.model.segment(picture.picture, { prompts, threshold: 0.5, withFaint: false });
  }
  return ratePerSecond(pictures.length, performance.now() - begun);
}

/**
 * Keeps `offered` tasks at the service until all are done. The time counts from the first request to the last report:
 * reports come in bursts, so any time between two of them would be arbitrary.
 */
async function offer(
  service: BenchService,
  scenario: Scenario,
  pictures: readonly BenchPicture[],
  offered: number,
): Promise<Pick<Round, "perSecond" | "stages">> {
  const { worker } = service;
  const requests = pictures.map((picture, n) => {
    worker.inputs.set(`picture-${n}`, Buffer.from(picture.file));
    return worker.request({
      prompts: [promptOf(scenario, picture)],
      inputUrl: `${worker.origin}/inputs/picture-${n}`,
      limits: { inputBytes: 50_000_000, inputPixels: 36_000_000, masks: 100 },
    });
  });
  const times: TaskTimes["ms"][] = [];
  const remaining = requests.values();
  const offerer = async (): Promise<void> => {
    for (const request of remaining) {
      await service.finish(request);
      times.push((await service.timesOf(request.key)).ms);
    }
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: offered }, offerer));
  const perSecond = ratePerSecond(pictures.length, performance.now() - begun);
  return { perSecond, stages: medians(times) };
}

/** The median of each stage. */
function medians(times: readonly TaskTimes["ms"][]): TaskTimes["ms"] {
  const stages = Object.keys(times[0] ?? {});
  return Object.fromEntries(stages.map((stage) => [stage, spread(times.map((ms) => ms[stage] ?? 0)).median]));
}

function cycled<T>(items: readonly T[], n: number): T {
  const item = items[n % items.length];
  if (item === undefined) throw new Error("there is nothing to choose from");
  return item;
}

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
