import { z } from "zod";

const DAY_MS = 86_400_000;

/** Number of days for which closed books have daily sums. Older days are only in the objects. */
const DAYS_KEPT = 400;

/** An entry of the ledger, and a line of a part's object after its first; `at` is epoch milliseconds. */
const Entry = z.strictObject({
  id: z.int(),
  jobId: z.string(),
  kind: z.enum(["reserve", "settle", "release", "void"]),
  fund: z.enum(["trial", "paid"]),
  units: z.int(),
  at: z.int(),
  /** The meter event that reports the settled units. */
  meterEvent: z.string().nullable(),
});
export type Entry = Readonly<z.infer<typeof Entry>>;

/** The units of a fund by kind of entry. */
const FundSums = z.strictObject({ reserved: z.int(), settled: z.int(), released: z.int(), voided: z.int() });

/** The sums of an account's closed entries. Times are epoch milliseconds. */
export const ClosedSums = z.strictObject({
  jobs: z.int(),
  entries: z.int(),
  lastJobId: z.string(),
  trialStartedAt: z.int().nullable(),
  trial: FundSums,
  paid: FundSums,
  /** The units that the paid fund settled and meter events reported. */
  meteredUnits: z.int(),
  /** Settled units of the trial and of the paid fund by day of UTC, for the last 400 days up to the newest. */
  days: z.record(z.string(), z.tuple([z.int(), z.int()])),
});
export type ClosedSums = z.infer<typeof ClosedSums>;

const NO_UNITS = { reserved: 0, settled: 0, released: 0, voided: 0 };

export const NOTHING_CLOSED: ClosedSums = {
  jobs: 0,
  entries: 0,
  lastJobId: "",
  trialStartedAt: null,
  trial: NO_UNITS,
  paid: NO_UNITS,
  meteredUnits: 0,
  days: {},
};

/** The times at which an account's books close, in epoch milliseconds. */
export interface ClosingTimes {
  /** The books are due when the account's first unclosed ended job ended before this. */
  readonly dueBefore: number;
  /** All jobs that ended before this are then closed. */
  readonly closedBefore: number;
}

/**
 * No entry stays open for more than `openDays` after its job's end, and none is closed before half of them: the books of an
 * account in use are closed a few times a month, not every day. Both times are midnights of UTC.
 */
export function closingTimes(now: number, openDays: number): ClosingTimes {
  const today = now - (now % DAY_MS);
  return {
    dueBefore: today - (openDays - 1) * DAY_MS,
    closedBefore: today - Math.ceil(openDays / 2) * DAY_MS,
  };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, "2026-11-22".length);
const monthOf = (at: number): string => dayOf(at).slice(0, "2026-11".length);

const endOf = (job: readonly Entry[]): Entry | undefined =>
  job.find(({ kind }) => kind === "settle" || kind === "void");

const unitsOf = (job: readonly Entry[], kind: Entry["kind"]): number | null =>
  job.find((entry) => entry.kind === kind)?.units ?? null;

/** Returns true if the entries of an ended job are complete and consistent: only then is it closed. */
function addsUp(job: readonly Entry[]): boolean {
  const [reserved, settled] = [unitsOf(job, "reserve"), unitsOf(job, "settle")];
  const [released, voided] = [unitsOf(job, "release"), unitsOf(job, "void")];
  const isOfOneFund = job.every(({ fund }) => fund === job[0]?.fund);
  if (!isOfOneFund) return false;
  if (voided !== null) return settled === null && released === null && voided === reserved;
  return settled !== null && released !== null && settled + released === reserved;
}

/** A part of an account's books, to be closed at once. */
export interface ClosingPart {
  /** In the order in which their ends were written; each job's entries in the order in which they were written. */
  readonly jobs: readonly (readonly Entry[])[];
  /** The month of UTC in which all of them ended, such as `2026-11`. */
  readonly month: string;
  /** The id of the last end: the part has all ends of the account up to it. */
  readonly lastEnd: number;
}

/**
 * The next part of an account's books to close: its oldest ended jobs, without a gap, that ended before `closedBefore` and
 * in one month. Null if there are none.
 * @param entries of these jobs, grouped by job, in the order in which their ends were written
 * @returns if the next job to be closed does not add up, its id instead: it needs a person.
 */
export function partToClose(entries: readonly Entry[], closedBefore: number): ClosingPart | string | null {
  const jobs: Entry[][] = [];
  let month: string | null = null;
  let lastEnd = 0;
  for (const [jobId, job] of Map.groupBy(entries, (entry) => entry.jobId)) {
    const end = endOf(job);
    if (end === undefined || end.at >= closedBefore || monthOf(end.at) !== (month ?? monthOf(end.at))) break;
    if (!addsUp(job)) {
      if (month === null) return jobId;
      break;
    }
    jobs.push(job.toSorted((a, b) => a.id - b.id));
    month = monthOf(end.at);
    lastEnd = end.id;
  }
  return month === null ? null : { jobs, month, lastEnd };
}

const SUM_OF = { reserve: "reserved", settle: "settled", release: "released", void: "voided" } as const;

/** The sums with these jobs added. The order in which jobs are added makes no difference. */
export function addToClosed(closed: ClosedSums, jobs: readonly (readonly Entry[])[]): ClosedSums {
  const entries = jobs.flat();
  const sums = { trial: { ...closed.trial }, paid: { ...closed.paid } };
  const days = new Map(Object.entries(closed.days));
  let { lastJobId, meteredUnits } = closed;
  for (const { jobId, kind, fund, units, at, meterEvent } of entries) {
    sums[fund][SUM_OF[kind]] += units;
    if (jobId > lastJobId) lastJobId = jobId;
    if (meterEvent !== null) meteredUnits += units;
    if (kind !== "settle" || units === 0) continue;
    const [trial, paid] = days.get(dayOf(at)) ?? [0, 0];
    days.set(dayOf(at), fund === "trial" ? [trial + units, paid] : [trial, paid + units]);
  }
  // A job that was never accepted starts no trial.
  const starts = jobs
    .filter((job) => unitsOf(job, "void") === null)
    .flatMap((job) => job.filter(({ kind, fund }) => kind === "reserve" && fund === "trial"))
    .map(({ at }) => at);
  return {
    jobs: closed.jobs + jobs.length,
    entries: closed.entries + entries.length,
    lastJobId,
    trialStartedAt: starts.reduce<number | null>((a, b) => Math.min(a ?? b, b), closed.trialStartedAt),
    ...sums,
    meteredUnits,
    days: newestDays(days),
  };
}

function newestDays(days: ReadonlyMap<string, [number, number]>): ClosedSums["days"] {
  const sorted = [...days].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const newest = sorted.at(-1)?.[0];
  if (newest === undefined) return {};
  const first = dayOf(Date.parse(newest) - (DAYS_KEPT - 1) * DAY_MS);
  return Object.fromEntries(sorted.filter(([day]) => day >= first));
}

/** The first line of a part's object: its account, and the previous part. */
const Header = z.strictObject({
  account: z.string(),
  number: z.int().positive(),
  jobs: z.int().positive(),
  previous: z.strictObject({ key: z.string(), digest: z.string() }).nullable(),
});
export type ClosedObjectHeader = z.infer<typeof Header>;

/** The key of a part's object. It contains the digest, so that no other bytes are ever written under it. */
export const closedObjectKey = (month: string, accountId: string, number: number, digest: string): string =>
  `ledger/${month}/${accountId}/${String(number).padStart(6, "0")}-${digest}.jsonl`;

/** A part's object: JSON lines, each ended by a newline. */
export const closedObject = (header: ClosedObjectHeader, jobs: readonly (readonly Entry[])[]): string =>
  [header, ...jobs.flat()].map((line) => `${JSON.stringify(line)}\n`).join("");

/** Reads a part's object back. @throws Error if the text is not one */
export function readClosedObject(text: string): { header: ClosedObjectHeader; jobs: Entry[][] } {
  const [first = "", ...rest] = text.trimEnd().split("\n");
  const entries = rest.map((line) => Entry.parse(JSON.parse(line)));
  return {
    header: Header.parse(JSON.parse(first)),
    jobs: [...Map.groupBy(entries, ({ jobId }) => jobId).values()],
  };
}
