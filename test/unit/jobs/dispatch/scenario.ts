import { Random } from "../../../../inference-container/test/tracking/random.ts";

/** Start of each simulation, epoch milliseconds. */
export const BEGIN = 1_800_000_000_000;
export const SECOND = 1_000;

/** A simulated scenario. Times are in seconds from the beginning. */
export interface Scenario {
  readonly seed: number;
  /** Inference services behind one URL, each with one device. */
  readonly services: number;
  readonly queueCapacity: number;
  readonly inFlight: number;
  /** The mean time of a picture on a device; each takes half to one and a half of it. */
  readonly pictureSeconds: number;
  /** The arriving single pictures, as a share of the capacity of all devices. */
  readonly load: number;
  /** Number of accounts that send them. */
  readonly accounts: number;
  /** The additional share that one of these accounts sends. */
  readonly largestShare: number;
  /** Duration of the arrivals. */
  readonly seconds: number;
  /** Earlier arrivals do not count. */
  readonly countFrom: number;
  /** An outage in which no service is reachable and their tasks are lost. */
  readonly outage: { readonly from: number; readonly until: number } | null;
  /** The work of another account from the beginning on. */
  readonly flood: { readonly jobs: number; readonly picturesPerJob: number } | null;
}

/** A single picture that arrives. `at` is epoch milliseconds. */
export interface Arrival {
  readonly at: number;
  readonly account: string;
  readonly deviceMs: number;
}

/** Returns the time of a picture on the device, in milliseconds. */
export const deviceMs = ({ pictureSeconds }: Scenario, random: Random): number =>
  pictureSeconds * SECOND * random.between(0.5, 1.5);

/** The arriving single pictures: a Poisson process. The same for the same seed, in any scenario. */
export function arrivalsOf(scenario: Scenario): Arrival[] {
  const { seed, services, pictureSeconds, load, accounts, largestShare, seconds } = scenario;
  const random = new Random(seed);
  const arrivals: Arrival[] = [];
  for (let at = 0; ;) {
    at += (-Math.log(1 - random.between(0, 1)) * pictureSeconds) / services / load;
    if (at > seconds) return arrivals;
    const account = random.chance(largestShare) ? 0 : Math.floor(random.between(0, accounts));
    arrivals.push({
      at: BEGIN + at * SECOND,
      account: `acct_${account}`,
      deviceMs: deviceMs(scenario, random),
    });
  }
}

/** Returns true if an arrival counts. */
export const counts = ({ countFrom }: Scenario, { at }: Arrival): boolean => at >= BEGIN + countFrom * SECOND;

/**
 * Returns the waits, in seconds, if each picture went without delay to the first free device, strictly in the order of arrival:
 * the minimum for the last of them.
 */
export function firstInFirstOut(scenario: Scenario): number[] {
  const [from, until] = [scenario.outage?.from ?? 0, scenario.outage?.until ?? 0].map(
    (time) => BEGIN + time * SECOND,
  );
  const freeAt = Array.from({ length: scenario.services }, () => BEGIN);
  const waits: number[] = [];
  for (const arrival of arrivalsOf(scenario)) {
    const earliest = Math.min(...freeAt);
    let begins = Math.max(arrival.at, earliest);
    if (from !== undefined && until !== undefined && begins > from && begins < until) begins = until;
    freeAt[freeAt.indexOf(earliest)] = begins + arrival.deviceMs;
    if (counts(scenario, arrival)) waits.push((begins - arrival.at) / SECOND);
  }
  return waits;
}
