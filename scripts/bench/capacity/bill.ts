import { z } from "zod";
import { markdownTable } from "../report.ts";

const figure = (label: string) => z.number().describe(label);

/** A job's mean use of the platform: figures with their labels. */
export const JobUse = z.object({
  calls: figure("D1: calls"),
  rowsRead: figure("D1: rows read"),
  rowsWritten: figure("D1: rows written"),
  sqlMs: figure("D1: time of its statements, ms"),
  bytes: figure("D1: bytes stored"),
  requests: figure("Worker: requests and batches of queues"),
  cpuMs: figure("the whole local runtime: processor time, ms"),
  messages: figure("queues: messages"),
  objectRequests: figure("JobObject: requests"),
  objectRowsWritten: figure("JobObject: rows written"),
  objectBytes: figure("JobObject: bytes stored"),
  bucketReads: figure("R2: reads by the Worker"),
  logLines: figure("log: lines"),
  logBytes: figure("log: bytes of these"),
  points: figure("Analytics Engine: points"),
});
export type JobUse = z.infer<typeof JobUse>;
export const FIGURES = JobUse.keyof().options;
export const labelOf = (key: keyof JobUse): string => JobUse.shape[key].description ?? key;

/** An account's assumed use of the service, which is not measured: docs/limits.md explains each figure. */
const ASSUMED = {
  singlesPerDay: 20,
  batchesPerDay: 1,
  picturesPerBatch: 100,
  days: 30,
  inputBytes: 2_000_000,
  masks: 2,
  maskBytes: 10_000,
  singleSeconds: 2,
  batchSeconds: 30,
  peak: 5,
  gpuSecondsPerPicture: 0.2,
  gpuDollarsPerHour: 2,
  fullest: 0.7,
} as const;

const MILLION = 1_000_000;
const GB = 1_000_000_000;

/** Returns a deployment's use in a month. Everything is kept for a month, so it is also the stored amount. */
function monthOf(accounts: number, single: JobUse, batch: JobUse) {
  const singles = accounts * ASSUMED.days * ASSUMED.singlesPerDay;
  const batches = accounts * ASSUMED.days * ASSUMED.batchesPerDay;
  const pictures = singles + batches * ASSUMED.picturesPerBatch;
  return {
    of: (key: keyof JobUse): number => singles * single[key] + batches * batch[key],
    pictures,
    masks: pictures * ASSUMED.masks,
    objectSeconds: singles * ASSUMED.singleSeconds + batches * ASSUMED.batchSeconds,
    atPeak: (n: number): number => (n / (ASSUMED.days * 86_400)) * ASSUMED.peak,
  };
}
type Month = ReturnType<typeof monthOf>;

const gpusOf = ({ atPeak, pictures }: Month): number =>
  Math.ceil(atPeak(pictures) * ASSUMED.gpuSecondsPerPicture);

const NEEDS: readonly (readonly [what: string, (month: Month) => number])[] = [
  ["pictures a month", ({ pictures }) => pictures],
  ["pictures a second at the peak", ({ atPeak, pictures }) => atPeak(pictures)],
  ["databases, by their size", ({ of }) => Math.ceil(of("bytes") / (10 * GB * ASSUMED.fullest))],
  [
    "time of databases taken at the peak, seconds per second",
    ({ atPeak, of }) => atPeak(of("sqlMs")) / 1_000,
  ],
  ["messages of queues a second at the peak", ({ atPeak, of }) => atPeak(of("messages"))],
  ["requests of JobObjects a second at the peak", ({ atPeak, of }) => atPeak(of("objectRequests"))],
  ["GPUs", gpusOf],
];

/** List prices of a month: the included amount, and the price of each further unit. docs/limits.md has their sources. */
const PRICES: readonly (readonly [
  what: string,
  quantity: (month: Month) => number,
  included: number,
  unit: number,
  dollars: number,
])[] = [
  ["Workers Paid", () => 1, 0, 1, 5],
  ["Workers: requests", ({ of }) => of("requests"), 10 * MILLION, MILLION, 0.3],
  ["Workers: processor time, ms", ({ of }) => of("cpuMs"), 30 * MILLION, MILLION, 0.02],
  ["D1: rows read", ({ of }) => of("rowsRead"), 25_000 * MILLION, MILLION, 0.001],
  // Written rows are deleted later, which is a write, too.
  ["D1: rows written", ({ of }) => 2 * of("rowsWritten"), 50 * MILLION, MILLION, 1],
  ["D1: storage, GB", ({ of }) => of("bytes") / GB, 5, 1, 0.75],
  ["R2: class A", ({ pictures, masks }) => pictures + masks, MILLION, MILLION, 4.5],
  // The Worker's inspections, the inference service's fetch of each input, a download of each mask.
  [
    "R2: class B",
    ({ of, pictures, masks }) => of("bucketReads") + pictures + masks,
    10 * MILLION,
    MILLION,
    0.36,
  ],
  [
    "R2: storage, GB",
    ({ pictures, masks }) => (pictures * ASSUMED.inputBytes + masks * ASSUMED.maskBytes) / GB,
    10,
    1,
    0.015,
  ],
  // Each message is written, read and deleted.
  ["Queues: operations", ({ of }) => 3 * of("messages"), MILLION, MILLION, 0.4],
  ["Durable Objects: requests", ({ of }) => of("objectRequests"), MILLION, MILLION, 0.15],
  ["Durable Objects: GB-s", ({ objectSeconds }) => 0.128 * objectSeconds, 400_000, MILLION, 12.5],
  ["Durable Objects: rows written", ({ of }) => of("objectRowsWritten"), 50 * MILLION, MILLION, 1],
  ["Durable Objects: storage, GB", ({ of }) => of("objectBytes") / GB, 5, 1, 0.2],
  ["Analytics Engine: points", ({ of }) => of("points"), 10 * MILLION, MILLION, 0.25],
  // Cloudflare adds an event for each invocation.
  [
    "Workers Logs: events",
    ({ of }) => of("logLines") + of("requests") + of("objectRequests"),
    20 * MILLION,
    MILLION,
    0.6,
  ],
];

const number = (n: number): string =>
  n.toLocaleString("en-US", n >= 1_000 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 2 });
/** An amount in dollars, to the cent. */
export const money = (n: number): string =>
  `$${n.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

/**
 * Returns the use and the price of deployments in a month by list prices: two Markdown tables.
 * @param sizes in accounts
 */
export function billTables(
  { single, batch }: { readonly single: JobUse; readonly batch: JobUse },
  sizes: readonly number[] = [10, 1_000, 10_000],
): string[] {
  const months = sizes.map((accounts) => monthOf(accounts, single, batch));
  const heading = sizes.map((accounts) => `${number(accounts)} accounts`);
  const costs = months.map((month) =>
    PRICES.map(([, of, included, unit, dollars]) => (Math.max(0, of(month) - included) / unit) * dollars),
  );
  const row = (what: string, cells: (month: Month, i: number) => readonly string[]): string[] =>
    [what].concat(months.flatMap(cells));
  return [
    ...markdownTable(
      ["needed", ...heading],
      NEEDS.map(([what, of]) => row(what, (month) => [number(of(month))])),
    ),
    "",
    ...markdownTable(
      ["a month", ...heading.flatMap((each) => [each, "costs"])],
      [
        ...PRICES.map(([what, of], price) =>
          row(what, (month, i) => [number(of(month)), money(costs[i]?.[price] ?? 0)]),
        ),
        row("**platform**", (_, i) => ["", `**${money((costs[i] ?? []).reduce((a, b) => a + b, 0))}**`]),
        row("GPUs", (month) => [
          number(gpusOf(month)),
          money(gpusOf(month) * 24 * ASSUMED.days * ASSUMED.gpuDollarsPerHour),
        ]),
      ],
    ),
  ];
}
