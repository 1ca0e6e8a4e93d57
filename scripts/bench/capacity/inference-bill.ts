import {
  CONTAINER_PRICES as PRICES,
  INSTANCE_TYPES,
  PICTURE_CPU_SECONDS,
} from "../../shared/cloudflare/container-prices.ts";
import { markdownTable } from "../report.ts";
import { money } from "./bill.ts";

/** The assumed use, which is not measured: docs/limits.md explains each figure. */
const ASSUMED = {
  days: 30,
  picturesPerVisit: 10,
  peak: 5,
  container: {
    ...INSTANCE_TYPES["standard-3"],
    cpuSeconds: PICTURE_CPU_SECONDS,
    startSeconds: 30,
    idleSeconds: 120,
  },
  gpu: { dollarsPerHour: 2, seconds: 0.2, startSeconds: 120, idleSeconds: 900 },
} as const;

const HOUR = 3_600;
const MONTH = ASSUMED.days * 24 * HOUR;

const priceOf = (what: keyof typeof PRICES, amount: number): number =>
  Math.max(0, amount - PRICES[what].included) * PRICES[what].dollars;

interface Bill {
  readonly hours: number;
  readonly dollars: number;
}

/** Returns the seconds of a month in which machines that sleep are awake: each visit wakes one, unless one is awake. */
function awakeSeconds(
  pictures: number,
  seconds: number,
  { startSeconds, idleSeconds }: { readonly startSeconds: number; readonly idleSeconds: number },
): number {
  const work = pictures * seconds;
  const visits = pictures / ASSUMED.picturesPerVisit;
  return Math.max(work, Math.min(MONTH, work + visits * (startSeconds + idleSeconds)));
}

function sleepingContainer(pictures: number): Bill {
  const { cpus, gib, diskGb, cpuSeconds } = ASSUMED.container;
  const awake = awakeSeconds(pictures, cpuSeconds / cpus, ASSUMED.container);
  const dollars =
    priceOf("cpuSeconds", pictures * cpuSeconds) +
    priceOf("gibSeconds", awake * gib) +
    priceOf("gbSeconds", awake * diskGb);
  return { hours: awake / HOUR, dollars };
}

const gpusFor = (seconds: number): Bill => {
  const hours = seconds / HOUR;
  return { hours, dollars: hours * ASSUMED.gpu.dollarsPerHour };
};

const gpuFromZero = (pictures: number): Bill =>
  gpusFor(awakeSeconds(pictures, ASSUMED.gpu.seconds, ASSUMED.gpu));

/** As many GPUs as the busiest hour needs. */
const gpuAllMonth = (pictures: number): Bill =>
  gpusFor(Math.ceil((pictures * ASSUMED.gpu.seconds * ASSUMED.peak) / MONTH) * MONTH);

const WAYS: readonly (readonly [what: string, bill: (pictures: number) => Bill])[] = [
  ["a container of Cloudflare that sleeps (2 vCPU)", sleepingContainer],
  ["a rented GPU, from zero", gpuFromZero],
  ["a rented GPU, all month", gpuAllMonth],
];

const cellsOf = ({ hours, dollars }: Bill): string[] => [
  hours.toLocaleString("en-US", { maximumFractionDigits: hours < 10 ? 1 : 0 }),
  money(dollars),
];

/**
 * Returns the price of a month's inference in three ways: a Markdown table.
 * @param sizes in pictures
 */
export function inferenceTable(sizes: readonly number[] = [100, 10_000, 1_000_000]): string[] {
  const headings = sizes.flatMap((pictures) => [
    `${pictures.toLocaleString("en-US")} pictures: hours`,
    "costs",
  ]);
  return markdownTable(
    ["inference a month", ...headings],
    WAYS.map(([what, billOf]) => [what].concat(sizes.map(billOf).flatMap(cellsOf))),
  );
}
