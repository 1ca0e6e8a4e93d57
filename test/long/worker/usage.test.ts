import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { CRONS, logged, runCron } from "../../support/worker/runtime/crons.ts";
import { FakeStripe } from "../../support/worker/fakes/stripe.ts";

const ACCOUNTS = 20_000;
const MOST_A_RUN = 5_000;

it("the hour of 20,000 paying accounts is reported in four runs, each account once", async () => {
  const stripe = new FakeStripe();
  for (let i = 1; i <= ACCOUNTS; i += 1) stripe.has(`cus_${i}`);
  logged();
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
     INSERT INTO meter_events (identifier, customer_id, units, at, closes_at)
     SELECT 'acct_' || i || '-an hour-1', 'cus_' || i, i, ?2, ?2 FROM n`,
  )
    .bind(ACCOUNTS, Date.now() - 60_000)
    .run();
  const began = Date.now();
  for (let sent = 0; sent < ACCOUNTS; sent += MOST_A_RUN) await runCron(CRONS.report);
  const seconds = (Date.now() - began) / 1_000;
  const { uses } = stripe.fake.state;
  expect(uses).toHaveLength(ACCOUNTS);
  expect(new Set(uses.map(({ identifier }) => identifier)).size).toBe(ACCOUNTS);
  expect(
    await env.DB.prepare("SELECT count(*) AS n FROM meter_events WHERE sent_at IS NULL").first("n"),
  ).toBe(0);
  vi.restoreAllMocks();
  console.log(`${ACCOUNTS} accounts in ${seconds.toFixed(1)} s: ${(ACCOUNTS / seconds).toFixed(0)} a second`);
});
