import { ensureBuiltin } from "../../../inference-container/src/models/fetch/ensure-builtin.ts";
import { loadModel } from "../../../inference-container/src/models/load.ts";
import type { Model } from "../../../inference-container/src/models/model.ts";
import type { BenchRequest } from "../arguments.ts";
import { type BenchPicture, benchPicture } from "../pictures/bench-picture.ts";
import { providerOf } from "../../models/load-options.ts";
import { ratePerSecond, spread, type Row, spreadTable } from "../report.ts";
import { STAGES, type TaskTimes } from "../task-times.ts";
import { offer } from "./offer.ts";
import { type BenchService, withService } from "./with-service.ts";

/** The numbers of tasks at the service at once; a finished task is replaced. */
const OFFERED = [1, 2, 4, 8] as const;
/** The number of pictures that the embedded model processes in a round, on the CPU and on a GPU. */
const PICTURES = { cpu: 4, gpu: 60 } as const;

/** One number of tasks at once, compared with a bare loop over the same pictures, in pictures per second. */
export interface Round {
  readonly model: string;
  readonly offered: number;
  readonly perSecond: number;
  readonly bare: number;
  /** The medians of the service's stages, in milliseconds. */
  readonly stages: TaskTimes["ms"];
}

interface Options extends Pick<BenchRequest, "rounds" | "quick"> {
  readonly signal: AbortSignal;
}

/** Measures how many pictures per second the inference service processes with the embedded model. */
export async function measureEmbedded({ rounds, quick, signal }: Options): Promise<Round[]> {
  const modelFolder = await ensureBuiltin();
  // The service reads the same setting.
  const provider = providerOf(process.env["EXECUTION_PROVIDER"]);
  const model = await loadModel(modelFolder, { provider });
  const name = `embedded model on ${provider} ${model.version}`;
  const counted = PICTURES[provider === "cpu" ? "cpu" : "gpu"] / (quick ? 2 : 1);
  let made = 0;
  const measured = await withService({ modelFolder }, {}, signal, async (service) => {
    const results: Round[] = [];
    for (let round = 0; round < rounds; round += 1)
      for (const offered of OFFERED) {
        signal.throwIfAborted();
        // Never the same picture twice, because both sides cache the features of pictures.
        const pictures = await Promise.all(Array.from({ length: counted }, () => benchPicture(made++)));
        const result = await measureRound(service, model, pictures, offered, round % 2 === 0);
        results.push({ model: name, offered, ...result });
        console.error(`${name}, ${offered} at once: ${(result.perSecond / result.bare).toFixed(2)} of bare`);
      }
    return results;
  });
  await model.close();
  return measured;
}

async function measureRound(
  service: BenchService,
  model: Model,
  pictures: readonly BenchPicture[],
  offered: number,
  bareFirst: boolean,
): Promise<Pick<Round, "perSecond" | "bare" | "stages">> {
  const before = bareFirst ? await bareLoop(model, pictures) : null;
  const files = pictures.map(({ file, prompts: [prompt] }) => ({ file, prompt }));
  const { perSecond, times } = await offer(service, files, offered);
  const bare = before ?? (await bareLoop(model, pictures));
  return { perSecond, bare, stages: medians(times) };
}

async function bareLoop(model: Model, pictures: readonly BenchPicture[]): Promise<number> {
  const begun = performance.now();
  for (const { picture, prompts } of pictures)
    await model.segment(picture, { prompts: [prompts[0]], threshold: 0.5, withFaint: false });
  return ratePerSecond(pictures.length, performance.now() - begun);
}

function medians(times: readonly TaskTimes["ms"][]): TaskTimes["ms"] {
  const stages = Object.keys(times[0] ?? {});
  return Object.fromEntries(stages.map((stage) => [stage, spread(times.map((ms) => ms[stage] ?? 0)).median]));
}

const RATES: readonly Row<Round>[] = [
  ["pictures per second", ({ perSecond }) => perSecond, 2],
  ["bare loop, pictures per second", ({ bare }) => bare, 2],
  ["**÷ bare loop**", ({ perSecond, bare }) => perSecond / bare, 3],
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
    const columns = [...new Set(own.map(({ offered }) => offered))].map((offered) => {
      return { heading: `${offered} at once`, runs: own.filter((round) => round.offered === offered) };
    });
    lines.push(`Model: ${model}`, "", ...spreadTable([...RATES, ...STAGE_ROWS], columns), "");
  }
  return lines;
}
