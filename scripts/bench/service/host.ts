import { randomUUID } from "node:crypto";
import { Failure } from "../../shared/command-line.ts";
import type { Mark } from "../../shared/marked-processes.ts";
import type { BenchRequest } from "../arguments.ts";
import { photograph } from "../pictures/bench-picture.ts";
import { type HostTimes, hostTimes } from "../../shared/processes.ts";
import { type Row, spreadTable } from "../report.ts";
import { GPU_FAKE } from "../start-inference.ts";
import { OBJECTS } from "./gpu/model.ts";
import { Yardstick } from "./yardstick.ts";
import { offer, type OfferedPicture } from "./offer.ts";
import { type BenchService, withService } from "./with-service.ts";

/** Times of the simulated GPUs for a picture, in milliseconds. */
const COSTS = [30, 100] as const;
/** The numbers of tasks at the service at once. */
const AT_ONCE = [1, 4] as const;
/** Time that a device without pauses would take for the counted pictures. */
const DEVICE_MS = 3_000;
/** Number of pictures after which V8 has compiled their code. */
const WARM_UP_PICTURES = 30;

/** One number of tasks at once on one device: the rate, and the processor time per picture in milliseconds. */
export interface HostRound extends HostTimes {
  readonly cost: number;
  readonly atOnce: number;
  readonly perSecond: number;
  /** Factor by which other work on the same cores stretched processor time meanwhile. */
  readonly stretch: number;
}

interface Options extends Pick<BenchRequest, "rounds" | "quick" | "megapixels"> {
  readonly signal: AbortSignal;
}

/** Measures the host's work for a GPU: everything but the graphs, which a fake replaces by waiting. Linux only. */
export async function measureHost({ rounds, quick, megapixels, signal }: Options): Promise<HostRound[]> {
  const file = await photograph(megapixels);
  const mark = { SEGMENTATION_BENCH: randomUUID() };
  return await withService(GPU_FAKE, mark, signal, async (service) => {
    await offer(service, series(file, WARM_UP_PICTURES, COSTS[0]), Math.max(...AT_ONCE));
    const measured: HostRound[] = [];
    for (let round = 0; round < rounds; round += 1)
      for (const cost of COSTS)
        for (const atOnce of AT_ONCE) {
          signal.throwIfAborted();
          const counted = Math.ceil(DEVICE_MS / cost / (quick ? 3 : 1));
          const times = await measureOnce(service, mark, series(file, counted, cost), atOnce);
          measured.push({ cost, atOnce, ...times });
        }
    return measured;
  });
}

const series = (file: OfferedPicture["file"], count: number, cost: number): OfferedPicture[] =>
  Array.from({ length: count }, () => ({ file, prompt: `${cost} ms` }));

async function measureOnce(
  service: BenchService,
  mark: Mark,
  pictures: readonly OfferedPicture[],
  atOnce: number,
): Promise<HostTimes & Pick<HostRound, "perSecond" | "stretch">> {
  const yardstick = new Yardstick();
  const before = hostTimes(mark);
  const { perSecond } = await offer(service, pictures, atOnce);
  const after = hostTimes(mark);
  const stretch = yardstick.stop();
  if (after.engine === 0) throw new Failure("The processor time can't be read: this needs Linux's /proc.");
  const each = (of: keyof HostTimes): number => (after[of] - before[of]) / pictures.length;
  return {
    perSecond,
    service: each("service"),
    engine: each("engine"),
    mainThread: each("mainThread"),
    stretch,
  };
}

const ROWS: readonly Row<HostRound>[] = [
  ["pictures per second", ({ perSecond }) => perSecond, 1],
  ["**÷ the device's limit**", ({ perSecond, cost }) => (perSecond * cost) / 1_000, 2],
  ["processor time per picture, ms", ({ service, engine }) => service + engine, 0],
  ["– service", ({ service }) => service, 0],
  ["– engine", ({ engine }) => engine, 0],
  ["– – its main thread", ({ mainThread }) => mainThread, 0],
  ["pictures per second that one main thread allows", ({ mainThread }) => 1_000 / mainThread, 1],
  ["a fixed loop's processor time ÷ its least", ({ stretch }) => stretch, 2],
];

/** The rounds as a Markdown table, with one column per device and number of tasks at once. */
export function hostReport(megapixels: number, rounds: readonly HostRound[]): string[] {
  const columns = COSTS.flatMap((cost) =>
    AT_ONCE.map((atOnce) => ({
      heading: `${cost} ms, ${atOnce} at once`,
      runs: rounds.filter((round) => round.cost === cost && round.atOnce === atOnce),
    })),
  );
  return [
    `Fake for a GPU: JPEGs of ${megapixels} megapixels, ${OBJECTS} masks`,
    "",
    ...spreadTable(
      ROWS,
      columns.filter(({ runs }) => runs.length > 0),
    ),
  ];
}
