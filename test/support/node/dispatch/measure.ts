import { firstInFirstOut, type Scenario } from "./scenario.ts";
import { simulate } from "./simulate.ts";

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

/** The waits after ten minutes without a service, in seconds, beside those of a queue without any delay. */
export interface OutageRun {
  readonly p99: number;
  readonly worst: number;
  readonly fifoP99: number;
  readonly fifoWorst: number;
  /** How often a picture was offered, and how often it gave way to another, on average. */
  readonly offers: number;
  readonly handedBack: number;
}

/** Services are away for ten minutes at 90 % load; what arrives from then on until a queue would be empty again counts. */
export function measureOutage(changes: Partial<Scenario>): OutageRun {
  const scenario = { ...ONE_SERVICE, outage: { from: 600, until: 1_200 }, ...changes };
  const { singles, offers, handedBack } = simulate(scenario);
  const waits = singles.map(({ wait }) => wait);
  const fifo = firstInFirstOut(scenario);
  return {
    p99: quantile(waits, 0.99),
    worst: Math.max(...waits),
    fifoP99: quantile(fifo, 0.99),
    fifoWorst: Math.max(...fifo),
    offers: offers / singles.length,
    handedBack: handedBack / singles.length,
  };
}

/** How long other accounts' single pictures take until their result, in seconds, without and with a flood. */
export interface FloodRun {
  readonly without: number;
  readonly withFlood: number;
  readonly p95Without: number;
  readonly p95WithFlood: number;
}

/** One account has a thousand jobs under way while the others send single pictures. */
export function measureFlood(picturesPerJob: number, changes: Partial<Scenario>): FloodRun {
  const scenario = { ...ONE_SERVICE, load: 0.8, seconds: 4_200, ...changes };
  const [without = [], withFlood = []] = [null, { jobs: 1_000, picturesPerJob }].map((flood) =>
    simulate({ ...scenario, flood }).singles.map(({ result }) => result),
  );
  return {
    without: mean(without),
    withFlood: mean(withFlood),
    p95Without: quantile(without, 0.95),
    p95WithFlood: quantile(withFlood, 0.95),
  };
}

/** How long a thousand single pictures of one account take, in seconds. */
export interface BurstRun {
  readonly took: number;
  /** What the device alone takes. */
  readonly device: number;
  /** How often a picture was offered on average. */
  readonly offers: number;
}

/** A thousand single pictures arrive at once at a service that has nothing else to do. */
export function measureBurst(pictureSeconds: number, changes: Partial<Scenario>): BurstRun {
  const jobs = 1_000;
  const alone = { load: 1e-9, seconds: 1.5 * jobs * pictureSeconds + 3_600 };
  const flood = { jobs, picturesPerJob: 1 };
  const { floodSeconds, offers } = simulate({ ...ONE_SERVICE, ...alone, pictureSeconds, flood, ...changes });
  return { took: floodSeconds, device: jobs * pictureSeconds, offers: offers / jobs };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The value that this share of the values does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
}
