import { putOffSeconds } from "../../../../src/jobs/rules/policy.ts";
import { Random } from "../../../../inference-container/test/tracking/random.ts";
import { firstInFirstOut, SECOND, type Scenario } from "./scenario.ts";
import { LAST_OF_OUTAGE_SECONDS, simulate } from "./simulate.ts";

/** One service with its default settings; its device takes 2.5 s for a picture. */
const ONE_SERVICE: Scenario = {
  seed: 1,
  services: 1,
  queueCapacity: 8,
  inFlight: 3,
  pictureSeconds: 2.5,
  load: 0.9,
  accounts: 300,
  largestShare: 0,
  seconds: 6_600,
  countFrom: 600,
  outage: null,
  flood: null,
};

/** The waits after ten minutes without a service, in seconds, next to those of a queue without any delay. */
export interface OutageRun {
  readonly p99: number;
  readonly worst: number;
  readonly fifoP99: number;
  readonly fifoWorst: number;
}

/**
 * Measures an outage: services are away for ten minutes at 90 % load; pictures that arrive from then on until a queue would be
 * empty again count.
 */
export function measureOutage(changes: Partial<Scenario>): OutageRun {
  const scenario = { ...ONE_SERVICE, outage: { from: 600, until: 1_200 }, ...changes };
  const { singles } = simulate(scenario);
  const waits = singles.map(({ wait }) => wait);
  const fifo = firstInFirstOut(scenario);
  return {
    p99: quantile(waits, 0.99),
    worst: Math.max(...waits),
    fifoP99: quantile(fifo, 0.99),
    fifoWorst: Math.max(...fifo),
  };
}

/** The effect of many waiting tasks on objects, and their later waits. */
export interface BacklogRun {
  /** Calls and alarms of jobs' objects per second, without newly accepted jobs. */
  readonly objects: number;
  readonly p99: number;
  readonly fifoP99: number;
}

const DOLLARS_PER_QUEUE_OPERATION = 0.4e-6;

/**
 * Measures a backlog: services, a hundred unless `changes` say otherwise, are away at half load until `waiting` tasks wait;
 * measured at the end of that, and until all are done.
 */
export function measureBacklog(waiting: number, changes: Partial<Scenario>): BacklogRun {
  const base = { ...ONE_SERVICE, services: 100, load: 0.5, countFrom: 60, ...changes };
  const perSecond = (base.services * base.load) / base.pictureSeconds;
  const outage = { from: 60, until: 60 + waiting / perSecond };
  const scenario = { ...base, outage, seconds: outage.until };
  const { singles, waitingBill } = simulate(scenario);
  return {
    objects: waitingBill.object / LAST_OF_OUTAGE_SECONDS,
    p99: quantile(
      singles.map(({ wait }) => wait),
      0.99,
    ),
    fifoP99: quantile(firstInFirstOut(scenario), 0.99),
  };
}

/** The cost of tasks that only wait: without simulated services, so that there may be many tasks. */
export interface WaitingRun {
  /** Messages per second that the queue delivers; one queue takes 5,000. */
  readonly messages: number;
  /** By list prices, in dollars: each message is written, read and deleted. */
  readonly dollarsPerDay: number;
  /** p99 of the time from free room to a task's message, as a share of the task's wait. */
  readonly p99Share: number;
}

/**
 * Measures waiting tasks: single pictures arrive for `seconds` while there is no room, until `waiting` of them wait; the last ten
 * minutes count.
 */
export function measureWaiting(waiting: number, seconds: number, seed: number): WaitingRun {
  const random = new Random(seed);
  let delivered = 0;
  const shares: number[] = [];
  for (let i = 0; i < waiting; i += 1) {
    const accepted = (i / waiting) * seconds;
    let at = accepted;
    for (;;) {
      at += putOffSeconds((at - accepted) * SECOND, random.between(0, 1));
      if (at > seconds) break;
      if (at > seconds - LAST_OF_OUTAGE_SECONDS) delivered += 1;
    }
    shares.push((at - seconds) / Math.max(60, seconds - accepted));
  }
  const messages = delivered / LAST_OF_OUTAGE_SECONDS;
  const dollarsPerDay = 86_400 * 3 * messages * DOLLARS_PER_QUEUE_OPERATION;
  return { messages, dollarsPerDay, p99Share: quantile(shares, 0.99) };
}

/** The time until the results of other accounts' single pictures, in seconds, without and with a flood. */
export interface FloodRun {
  readonly without: number;
  readonly withFlood: number;
}

/** Measures a flood: one account has a thousand jobs in progress while the others send single pictures. */
export function measureFlood(picturesPerJob: number, changes: Partial<Scenario>): FloodRun {
  const scenario = { ...ONE_SERVICE, load: 0.8, seconds: 4_200, ...changes };
  const [without = [], withFlood = []] = [null, { jobs: 1_000, picturesPerJob }].map((flood) =>
    simulate({ ...scenario, flood }).singles.map(({ result }) => result),
  );
  return { without: mean(without), withFlood: mean(withFlood) };
}

/** The time for a thousand single pictures of one account, in seconds. */
export interface BurstRun {
  readonly took: number;
  /** The time of the device alone. */
  readonly device: number;
}

/** Measures a burst: a thousand single pictures arrive at once at an idle service. */
export function measureBurst(pictureSeconds: number, changes: Partial<Scenario>): BurstRun {
  const jobs = 1_000;
  const alone = { load: 1e-9, seconds: 1.5 * jobs * pictureSeconds + 3_600 };
  const flood = { jobs, picturesPerJob: 1 };
  const { floodSeconds } = simulate({ ...ONE_SERVICE, ...alone, pictureSeconds, flood, ...changes });
  return { took: floodSeconds, device: jobs * pictureSeconds };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns the value that this share of the values does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}
