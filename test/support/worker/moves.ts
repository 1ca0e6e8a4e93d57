import { vi } from "vitest";
import { checkLedger } from "../../../scripts/admin/ledger-check.ts";
import type { MoveReport } from "../../../src/operator/contract/operator.ts";
import type { Platform } from "../../../src/platform.ts";
import { closeBooks } from "../../../src/billing/operations/close-books.ts";
import { moveAccount } from "../../../src/operator/operations/move-account.ts";
import { newClient, type Client } from "./api.ts";
import { newKey } from "./api-keys.ts";
import { asOperator } from "./database.ts";
import { finishJob, PlayedInference } from "./inference.ts";
import { newJob, uploaded } from "./jobs.ts";
import { makeCustomer, settledJob } from "./ledger.ts";
import { database, inDatabase } from "./several.ts";
import { shareJob } from "./shares.ts";
import { newEndpoint, type TestEndpoint } from "./webhooks.ts";

const DAY = 86_400_000;

/** What the operator's check of the ledger finds in a database. */
export async function findings(name: string): Promise<unknown> {
  return (
    await checkLedger(
      asOperator(() => database(name)),
      1_000_000,
      Date.now(),
    )
  ).findings;
}

export interface Resident extends Client {
  readonly jobId: string;
  readonly taskId: string;
  readonly endpoint: TestEndpoint;
}

/** A paying account in a database, at rest, with rows in every table; one of its jobs has run through. */
export async function resident(
  platform: Platform,
  name: string,
  inference = new PlayedInference(),
): Promise<Resident> {
  return inDatabase(name, async () => {
    const client = await newClient("paid");
    const { accountId } = client;
    const db = database(name);
    await makeCustomer(accountId, "active");
    await settledJob(accountId, { units: 3, fund: "paid", endedAt: Date.now() - 40 * DAY });
    await closeBooks(platform.at(name), Date.now());
    await settledJob(accountId, { units: 4, fund: "paid", endedAt: Date.now() });
    await settledJob(accountId, { units: 2, fund: "trial", endedAt: Date.now() });
    const { jobId, taskId } = await newJob(client);
    await finishJob(inference, accountId, jobId, [taskId]);
    await newKey(client, "another");
    await shareJob(client, jobId);
    const endpoint = await newEndpoint(client);
    await uploaded(client);
    const one = (sql: string) => db.prepare(sql).bind(accountId);
    await db.batch([
      one(
        "INSERT INTO former_customers (customer_id, account_id, forgotten_at) VALUES ('cus_old_' || ?1, ?1, 5)",
      ),
      one("INSERT INTO deleted_jobs (job_id, account_id, deleted_at) VALUES ('job_deleted_' || ?1, ?1, 5)"),
      one("INSERT INTO ended_subscriptions (account_id, ended_at) VALUES (?1, 5)"),
      one("INSERT INTO refused_looks (account_id, day, looks) VALUES (?1, 5, 2)"),
      one("INSERT INTO webhook_tests (account_id, hour, asked) VALUES (?1, 5, 2)"),
      one("INSERT INTO billing_sessions (account_id, hour, asked) VALUES (?1, 5, 2)"),
      one("INSERT INTO upload_bytes (account_id, hour, bytes, deleted) VALUES (?1, 5, 2, 1)"),
      // Of a time before events named their account: its identifier is the job's id.
      ...["reserve", "settle"].map((kind) =>
        one(
          `INSERT INTO ledger (account_id, job_id, kind, fund, units, at) VALUES (?1, 'job_old_' || ?1, '${kind}', 'paid', 1, ${Date.now()})`,
        ),
      ),
      one(
        `INSERT INTO ledger (account_id, job_id, kind, fund, units, at) VALUES (?1, 'job_old_' || ?1, 'release', 'paid', 0, ${Date.now()})`,
      ),
      one(
        `INSERT INTO meter_events (identifier, customer_id, units, at, sent_at) VALUES ('job_old_' || ?1, 'cus_old_' || ?1, 1, ${Date.now()}, 5)`,
      ),
    ]);
    return { ...client, jobId, taskId, endpoint };
  });
}

/** Asks for runs of a move until it has this state. */
export async function moveUntil(
  platform: Platform,
  accountId: string,
  to: string,
  state: MoveReport["state"],
  confirmed = state === "moved",
): Promise<MoveReport> {
  for (let runs = 0; runs < 20; runs += 1) {
    const report = await moveAccount(platform, accountId, to, confirmed);
    if (report.state === state) return report;
  }
  throw new Error(`${accountId} does not get to ${state}`);
}

/** Cuts every caller off at one of the databases' calls: before it, or after it has had its effect. */
export function cutOffDatabases(): { at: (call: number, after: boolean) => void } {
  let left = Infinity;
  let isAfter = false;
  const counted = async <T>(call: () => Promise<T>): Promise<T> => {
    left -= 1;
    if (left > 0) return call();
    if (left === 0 && isAfter) await call();
    throw new Error("cut off");
  };
  const d1: D1Database = Object.getPrototypeOf(database("DB"));
  const statement: D1PreparedStatement = Object.getPrototypeOf(database("DB").prepare("SELECT 1"));
  for (const [prototype, names] of [
    [d1, ["batch"]],
    [statement, ["all", "first", "run"]],
  ] as const) {
    for (const name of names) {
      const original: unknown = Reflect.get(prototype, name);
      if (typeof original !== "function") continue;
      vi.spyOn<Record<string, (...args: unknown[]) => unknown>, string>(
        Object.assign(prototype),
        name,
      ).mockImplementation(function (this: unknown, ...args: unknown[]) {
        return counted(() => Reflect.apply(original, this, args));
      });
    }
  }
  return {
    at: (call, after) => {
      left = call;
      isAfter = after;
    },
  };
}
