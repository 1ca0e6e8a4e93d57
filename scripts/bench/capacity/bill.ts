import { z } from "zod";
import { markdownTable } from "../report.ts";

/** What a job makes the service ask the platform for, in the mean; each is a count, or says its unit. */
export const JobUse = z.object({
  /** Of databases: round trips, rows by their meta, their time in milliseconds, and by how many bytes they grow. */
  calls: z.number(),
  rowsRead: z.number(),
  rowsWritten: z.number(),
  sqlMs: z.number(),
  bytes: z.number(),
  /** Of the Worker, by clients, the inference service and queues; the messages of these. */
  requests: z.number(),
  messages: z.number(),
  /** The whole local runtime's processor time: more than the Worker's. */
  cpuMs: z.number(),
  /** Of the JobObject; its bytes are those of its database at its end. */
  objectRequests: z.number(),
  objectRowsWritten: z.number(),
  objectBytes: z.number(),
  /** Of the bucket, by the Worker. */
  bucketReads: z.number(),
  logLines: z.number(),
  logBytes: z.number(),
  points: z.number(),
});
export type JobUse = z.infer<typeof JobUse>;

/** How an account uses the service, and what is not measured: docs/capacity.md says why. An operator has own numbers. */
export const ASSUMED = {
  singlesPerDay: 20,
  batchesPerDay: 1,
  picturesPerBatch: 100,
  days: 30,
  /** Each kept for `days`, and each mask downloaded once. */
  inputBytes: 2_000_000,
  masks: 2,
  maskBytes: 10_000,
  /** What a client waits for a job, whose object is in memory meanwhile. */
  singleSeconds: 2,
  batchSeconds: 30,
  /** The busiest hour compared with the mean. */
  peak: 5,
  gpuSecondsPerPicture: 0.2,
  gpuDollarsPerHour: 2,
  /** What of a database may be full, or of its time taken. */
  share: 0.7,
} as const;

const MILLION = 1_000_000;
const GB = 1_000_000_000;

/** What a deployment uses in a month; storage is what it has at the end of it, as all is kept for that long. */
function useOf(accounts: number, single: JobUse, batch: JobUse) {
  const of = ASSUMED;
  const [singles, batches] = [of.singlesPerDay, of.batchesPerDay].map((n) => accounts * of.days * n);
  if (singles === undefined || batches === undefined) throw new Error("an account makes jobs");
  const pictures = singles + batches * of.picturesPerBatch;
  const sum = (key: keyof JobUse): number => singles * single[key] + batches * batch[key];
  const perSecond = (n: number): number => (n / (of.days * 86_400)) * of.peak;
  const objectSeconds = singles * of.singleSeconds + batches * of.batchSeconds;
  return { pictures, sum, perSecond, objectSeconds, mask: pictures * of.masks };
}

/** The list prices of a month: of what, how much is included, and what each further unit costs. */
const PRICES: readonly (readonly [
  what: string,
  quantity: (use: ReturnType<typeof useOf>) => number,
  included: number,
  unit: number,
  dollars: number,
])[] = [
  ["Workers: requests", ({ sum }) => sum("requests"), 10 * MILLION, MILLION, 0.3],
  ["Workers: processor time, ms", ({ sum }) => sum("cpuMs"), 30 * MILLION, MILLION, 0.02],
  ["D1: rows read", ({ sum }) => sum("rowsRead"), 25_000 * MILLION, MILLION, 0.001],
  // What is written is deleted later, which is a write too.
  ["D1: rows written", ({ sum }) => 2 * sum("rowsWritten"), 50 * MILLION, MILLION, 1],
  ["D1: storage, GB", ({ sum }) => sum("bytes") / GB, 5, 1, 0.75],
  ["R2: class A", ({ pictures, mask }) => pictures + mask, MILLION, MILLION, 4.5],
  [
    "R2: class B",
    ({ pictures, mask, sum }) => sum("bucketReads") + pictures + mask,
    10 * MILLION,
    MILLION,
    0.36,
  ],
  [
    "R2: storage, GB",
    ({ pictures, mask }) => (pictures * ASSUMED.inputBytes + mask * ASSUMED.maskBytes) / GB,
    10,
    1,
    0.015,
  ],
  // Each message is written, read and deleted.
  ["Queues: operations", ({ sum }) => 3 * sum("messages"), MILLION, MILLION, 0.4],
  ["Durable Objects: requests", ({ sum }) => sum("objectRequests"), MILLION, MILLION, 0.15],
  ["Durable Objects: GB-s", ({ objectSeconds }) => 0.128 * objectSeconds, 400_000, MILLION, 12.5],
  ["Durable Objects: rows written", ({ sum }) => sum("objectRowsWritten"), 50 * MILLION, MILLION, 1],
  ["Durable Objects: storage, GB", ({ sum }) => sum("objectBytes") / GB, 5, 1, 0.2],
  ["Analytics Engine: points", ({ sum }) => sum("points"), 10 * MILLION, MILLION, 0.25],
  // Cloudflare adds a line of its own for each invocation.
  [
    "Workers Logs: events",
    ({ sum }) => sum("logLines") + sum("requests") + sum("objectRequests"),
    20 * MILLION,
    MILLION,
    0.6,
  ],
];
const PLAN_DOLLARS = 5;

const round = (n: number): string =>
  (n >= 1_000 ? Math.round(n) : Number(n.toPrecision(2))).toLocaleString("en-US");
const dollars = (n: number): string =>
  `$${n.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

/** What deployments need and cost by list prices, as two Markdown tables. @param sizes how many accounts they have */
export function billTable(
  single: JobUse,
  batch: JobUse,
  sizes: readonly number[] = [10, 1_000, 10_000],
): string[] {
  const uses = sizes.map((accounts) => useOf(accounts, single, batch));
  const needs = uses.map(({ pictures, sum, perSecond }) => ({
    pictures,
    perSecond: perSecond(pictures),
    bySize: Math.ceil(sum("bytes") / (10 * GB * ASSUMED.share)),
    busy: (perSecond(sum("sqlMs")) / 1_000) * 100,
    messages: perSecond(sum("messages")),
    objects: perSecond(sum("objectRequests")),
    gpus: Math.ceil(perSecond(pictures) * ASSUMED.gpuSecondsPerPicture),
  }));
  const heading = sizes.map((accounts) => `${round(accounts)} accounts`);
  const costs = uses.map((use) =>
    PRICES.map(
      ([, quantity, included, unit, price]) => (Math.max(0, quantity(use) - included) / unit) * price,
    ),
  );
  const totals = costs.map((each) => each.reduce((sum, cost) => sum + cost, PLAN_DOLLARS));
  return [
    ...markdownTable(
      ["needed", ...heading],
      [
        ["pictures a month", ...needs.map(({ pictures }) => round(pictures))],
        ["pictures a second, at the peak", ...needs.map(({ perSecond }) => round(perSecond))],
        ["databases, by their size", ...needs.map(({ bySize }) => round(bySize))],
        ["time of one database taken at the peak, %", ...needs.map(({ busy }) => round(busy))],
        ["messages a second, at the peak", ...needs.map(({ messages }) => round(messages))],
        ["requests of objects a second, at the peak", ...needs.map(({ objects }) => round(objects))],
        ["GPUs", ...needs.map(({ gpus }) => round(gpus))],
      ],
    ),
    "",
    ...markdownTable(
      ["a month", ...heading.flatMap((each) => [each, "costs"])],
      [
        ["Workers Paid", ...sizes.flatMap(() => ["", dollars(PLAN_DOLLARS)])],
        ...PRICES.map(([what, quantity], i) => [
          what,
          ...uses.flatMap((use, size) => [round(quantity(use)), dollars(costs[size]?.[i] ?? 0)]),
        ]),
        ["**platform**", ...totals.flatMap((total) => ["", `**${dollars(total)}**`])],
        [
          "GPUs",
          ...needs.flatMap(({ gpus }) => [
            round(gpus),
            dollars(gpus * 24 * ASSUMED.days * ASSUMED.gpuDollarsPerHour),
          ]),
        ],
      ],
    ),
  ];
}
