import { expect, it } from "vitest";
import { type Length, runMonth } from "../../support/worker/abuse/month.ts";
import { isWithin, report } from "../../support/worker/abuse/report.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";

const MONTH: Length = {
  days: 30,
  hours: [0, 12],
  tries: 620,
  credentials: 350,
  everyMinutes: 5,
  quietDays: Array.from({ length: 35 }, (_, day) => day),
};

it("a month of a trial account and a stranger stays within the promised cost", async () => {
  // The default settings, except that a job costs the test runner some tens of milliseconds.
  overrideSettings({ TRIAL_MAX_TASKS_PER_DAY: 40 });
  const outcome = await runMonth(MONTH, (day) => console.info(`day ${day} of ${MONTH.days}`));
  console.info(report(outcome));
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
  expect([...outcome.answers.stranger.keys()].filter((one) => one.startsWith("5") && one !== "503")).toEqual(
    [],
  );
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
}, 3_600_000);
