import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { type Length, runMonth } from "../../support/worker/abuse/month.ts";
import { isWithin, report } from "../../support/worker/abuse/report.ts";
import { objectsLeft } from "../../support/worker/abuse/stored.ts";
import type { Settings } from "../../../src/settings.ts";
import { amount } from "../../support/worker/client/random.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";

/** A month takes minutes; in the short form, a few days with small budgets meet the same rules. */
const LENGTHS: Record<typeof env.FUZZ, Length> = {
  short: {
    days: 2,
    hours: [13],
    tries: 15,
    credentials: 20,
    everyMinutes: 60,
    quietDays: [0, 7, 14, 21, 28, 30, 32, 34],
  },
  long: {
    days: 30,
    hours: [0, 12],
    tries: 620,
    credentials: 350,
    everyMinutes: 5,
    quietDays: Array.from({ length: 35 }, (_, day) => day),
  },
};
const BUDGETS: Record<typeof env.FUZZ, Partial<Settings>> = {
  short: {
    TRIAL_MAX_UNUSED_UPLOADS: 9,
    TRIAL_MAX_TASKS_PER_DAY: 6,
    TRIAL_DAYS: 1,
    MAX_API_KEYS: 2,
    MAX_BILLING_SESSIONS_PER_HOUR: 2,
  },
  // The defaults, except that a job costs the test runner some tens of milliseconds.
  long: { TRIAL_MAX_TASKS_PER_DAY: 40 },
};

it(
  "a month of a trial account and a stranger stays within the promised cost",
  async () => {
    overrideSettings(BUDGETS[env.FUZZ]);
    const length = LENGTHS[env.FUZZ];
    const outcome = await runMonth(length, (day) => {
      if (env.FUZZ === "long") console.info(`day ${day} of ${length.days}`);
    });
    if (env.FUZZ === "long") console.info(report(outcome));
    const beyond = [...outcome.account, ...outcome.stranger].filter((row) => !isWithin(row));
    expect(beyond, report(outcome)).toEqual([]);
    // Proves that the attackers tried something.
    const answers = [...outcome.answers.account.keys()];
    for (const refusal of [
      "402 daily_limit_reached",
      "402 trial_expired",
      "409 too_many_uploads",
      "409 too_many_keys",
      "409 too_many_webhook_endpoints",
      "429 rate_limited",
      "429 too_many_streams",
    ])
      expect(answers).toContain(refusal);
    expect(answers.filter((one) => one.startsWith("5"))).toEqual([]);
    // 503: of a token by an unknown key, because the provider's fetches are used up.
    expect(
      [...outcome.answers.stranger.keys()].filter((one) => one.startsWith("5") && one !== "503"),
    ).toEqual([]);
    // Only the books and the keys remain, until the sweep of revoked keys.
    for (const gone of [
      "bytes of inputs",
      "bytes of outputs and archives",
      "rows of uploads",
      "rows of jobs",
      "rows of deleted_jobs",
    ])
      expect(outcome.afterwards[gone], gone).toBe(0);
    expect(outcome.afterwards["rows of idempotency_keys"]).toBe(0);
    // A job's object goes with its row. The test runner's stack is too small for the long form's thousand objects.
    if (env.FUZZ === "short") expect(await objectsLeft(outcome.jobIds)).toBe(0);
  },
  amount({ short: 240_000, long: 3_600_000 }),
);
