import { Random } from "../../../../inference-container/test/tracking/random.ts";
import { Clock } from "./clock.ts";
import { type Arrival, arrivalsOf, BEGIN, counts, deviceMs, type Scenario, SECOND } from "./scenario.ts";
import type { Queued } from "../../../../inference-container/src/tasks/lane-queue.ts";
import { SimulatedJob, type Billed, type Offer, type Surroundings } from "./simulated-job.ts";
import { SimulatedService } from "./simulated-service.ts";

/** A single picture that counted. Times are in seconds from its acceptance. */
interface Served {
  readonly account: string;
  /** Until it began on the device. */
  readonly wait: number;
  /** Until it was done there. */
  readonly result: number;
}

export interface Outcome {
  readonly singles: readonly Served[];
  /** The time at which the last picture of the flood began on a device, in seconds. */
  readonly floodSeconds: number;
  /** The platform's bill for the last ten minutes of the outage. */
  readonly waitingBill: Readonly<Record<Billed, number>>;
}

/** The end of an outage, with the maximum number of waiting tasks: the cost of waiting is measured there. */
export const LAST_OF_OUTAGE_SECONDS = 600;

/** Runs a scenario in simulated time, until each single picture that counts has begun. Deterministic. */
export function simulate(scenario: Scenario): Outcome {
  const clock = new Clock(BEGIN);
  const random = new Random(scenario.seed + 1_000_003);
  const arrivals = arrivalsOf(scenario);
  const begunAt = new Map<string, number>();
  let floodEndsAt = BEGIN;
  const begin = ({ taskId }: Offer): number => {
    begunAt.set(taskId, clock.now);
    const single = arrivals[Number(taskId)];
    if (single === undefined) floodEndsAt = clock.now;
    return single?.deviceMs ?? deviceMs(scenario, random);
  };
  const services = Array.from(
    { length: scenario.services },
    () => new SimulatedService(scenario, clock, begin),
  );
  const offer = (each: Offer) =>
    services[Math.floor(random.between(0, services.length))]?.offer(each) ?? "unreachable";
  const hasRoom = (task: Queued): boolean =>
    services[Math.floor(random.between(0, services.length))]?.hasRoom(task) ?? false;
  const waitingBill: Record<Billed, number> = { message: 0, object: 0 };
  const { outage } = scenario;
  const isFullyOut = (): boolean =>
    outage !== null &&
    clock.now > BEGIN + (outage.until - LAST_OF_OUTAGE_SECONDS) * SECOND &&
    clock.now < BEGIN + outage.until * SECOND;
  const bill = (what: Billed): void => {
    if (isFullyOut()) waitingBill[what] += 1;
  };
  plan(scenario, arrivals, services, { clock, random, offer, hasRoom, bill });

  const counted = arrivals.flatMap((arrival, index) =>
    counts(scenario, arrival) ? [{ ...arrival, taskId: String(index) }] : [],
  );
  const isLeft = ({ taskId }: { readonly taskId: string }): boolean => !begunAt.has(taskId);
  do clock.runUntil(clock.now + 600 * SECOND);
  while (clock.now < BEGIN + scenario.seconds * SECOND || counted.some(isLeft));

  const singles = counted.map(({ account, at, taskId, deviceMs: onDevice }) => {
    const wait = (begunAt.get(taskId) ?? Infinity) - at;
    return { account, wait: wait / SECOND, result: (wait + onDevice) / SECOND };
  });
  const floodSeconds = (floodEndsAt - BEGIN) / SECOND;
  return { singles, floodSeconds, waitingBill };
}

/** Plans the external events: the outage, the flood, and the single pictures. */
function plan(
  scenario: Scenario,
  arrivals: readonly Arrival[],
  services: readonly SimulatedService[],
  surroundings: Surroundings,
): void {
  const { clock } = surroundings;
  const { outage, flood } = scenario;
  if (outage !== null) {
    clock.at(BEGIN + outage.from * SECOND, () => services.forEach((service) => service.crash()));
    clock.at(BEGIN + outage.until * SECOND, () => services.forEach((service) => service.restart()));
  }
  for (let job = 0; job < (flood?.jobs ?? 0); job += 1) {
    const taskIds = Array.from({ length: flood?.picturesPerJob ?? 0 }, (_, i) => `flood_${job}_${i}`);
    // A client sends its requests one after another.
    clock.in(job, () => accept("acct_flood", taskIds, surroundings));
  }
  for (const [index, { at, account }] of arrivals.entries()) {
    clock.at(at, () => accept(account, [String(index)], surroundings));
  }
}

/** Accepts a job and sends its first messages. */
function accept(accountId: string, taskIds: readonly string[], surroundings: Surroundings): SimulatedJob {
  const isSingle = taskIds.length === 1;
  const definition = {
    jobId: taskIds.join(),
    accountId,
    processingMode: isSingle ? ("single" as const) : ("batch" as const),
    lane: isSingle ? ("interactive" as const) : ("bulk" as const),
    prompts: ["cat"],
    generatePreview: false,
    taskIds,
    createdAt: surroundings.clock.now,
    type: "image" as const,
    threshold: 0.5,
    maskThreshold: 0.5,
  };
  return new SimulatedJob(definition, surroundings);
}
