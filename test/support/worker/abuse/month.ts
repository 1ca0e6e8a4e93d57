import { vi } from "vitest";
import { JobObject } from "../../../../src/index.ts";
import { newClient } from "../client/api.ts";
import { CRONS, runCron } from "../runtime/crons.ts";
import { createSession } from "../fakes/stripe.ts";
import { Meter } from "./meter.ts";
import { fakeOutside } from "./outside.ts";
import { promisesOfStranger, promisesOfTrial, type Promised } from "./promises.ts";
import { since, mostOf, objectsLeft, storedNow, type Stored } from "./stored.ts";
import { Stranger } from "./stranger.ts";
import { TrialAttacker } from "./trial-account.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The simulated part of a month. */
export interface Length {
  readonly days: number;
  /** The hours of a day in which the two are active; the crons run in every hour. */
  readonly hours: readonly number[];
  /** Number of tries of each kind of abuse in each of these hours, if they are not refused. */
  readonly tries: number;
  /** Random credentials of a stranger in each of these hours. */
  readonly credentials: number;
  /** Minutes between the crons that come every five. */
  readonly everyMinutes: number;
  /** Days afterward, from 0, in which only the crons run. */
  readonly quietDays: readonly number[];
}

export interface Outcome {
  readonly meter: Meter;
  readonly account: readonly Promised[];
  readonly stranger: readonly Promised[];
  readonly peak: Stored;
  readonly end: Stored;
  readonly afterwards: Stored;
  /** The jobs that were prepared: each had a JobObject. */
  readonly jobIds: ReadonlySet<string>;
  readonly answers: {
    readonly account: ReadonlyMap<string, number>;
    readonly stranger: ReadonlyMap<string, number>;
  };
}

/** Moves the time to `time`, unless it has already passed. */
const goTo = (time: number): void => {
  vi.useFakeTimers({ now: Math.max(time, Date.now()), toFake: ["Date"] });
};

/** The crons of an hour at their minutes. */
async function runCrons(hour: number, everyMinutes: number): Promise<void> {
  for (let minute = everyMinutes; minute <= 60; minute += everyMinutes) {
    goTo(hour + minute * MINUTE);
    await runCron(CRONS.report);
    if (minute - everyMinutes < 17 && 17 <= minute) await runCron(CRONS.sweep);
    if (hour % DAY === 3 * HOUR && minute - everyMinutes < 43 && 43 <= minute) await runCron(CRONS.nightly);
  }
}

/**
 * Simulates a trial account and a stranger without a credential, hour after hour, and then the time after them.
 * @param tell called as each day begins, from 1
 */
export async function runMonth(length: Length, tell: (day: number) => void): Promise<Outcome> {
  const begin = Math.ceil(Date.now() / DAY) * DAY;
  goTo(begin);
  const meter = new Meter();
  const outside = await fakeOutside(meter);
  const prepared = new Set<string>();
  // oxlint-disable-next-line typescript/unbound-method -- called with the object itself below
  const { prepare } = JobObject.prototype;
  vi.spyOn(JobObject.prototype, "prepare").mockImplementation(async function (this: JobObject, definition) {
    prepared.add(definition.jobId);
    return prepare.call(this, definition);
  });

  // Real webhooks of another customer, which the stranger sends again and again.
  const other = await newClient("trial");
  const page = await createSession(other, "checkout");
  await outside.stripe.press(page.body.url);
  const webhooks = [...outside.stripe.webhooks];
  await outside.stripe.deliverAll();

  const before = await storedNow(outside.sizes);
  const client = await newClient("trial");
  const attacker = new TrialAttacker(client, meter, outside, length.tries);
  const stranger = new Stranger(meter, webhooks);
  const look = async () => since(await storedNow(outside.sizes), before);
  let peak = await look();
  const note = async () => {
    peak = mostOf(peak, await look());
  };

  for (let hour = begin; hour < begin + length.days * DAY; hour += HOUR) {
    goTo(hour);
    if ((hour - begin) % DAY === 0) tell((hour - begin) / DAY + 1);
    // The spies' records of the hour before would fill the memory.
    vi.clearAllMocks();
    if (length.hours.includes((hour % DAY) / HOUR)) {
      await meter.at("account", () => attacker.hour());
      await note();
      await meter.at("stranger", () => stranger.hour(length.credentials));
    }
    await meter.at("crons", () => runCrons(hour, length.everyMinutes));
  }
  await note();
  const end = await look();
  const objects = await objectsLeft(prepared);

  vi.clearAllMocks();
  const quiet = begin + length.days * DAY;
  for (const day of length.quietDays)
    await meter.at("crons", () => runCrons(quiet + day * DAY + 3 * HOUR, length.everyMinutes));
  const hours = length.days * 24;
  return {
    meter,
    account: promisesOfTrial(hours, length.days * length.hours.length, peak, meter.of.account, objects),
    stranger: promisesOfStranger(meter.of.stranger, (end["rows of accounts"] ?? 0) - 1),
    peak,
    end,
    afterwards: await look(),
    jobIds: prepared,
    answers: { account: attacker.answers, stranger: stranger.answers },
  };
}
