import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { AlarmProbe, DatabaseProbe, ProtocolProbe } from "../../../src/operator/contract/operator.ts";
import { probe } from "./probe.ts";
import { LeftOut, type Row, Wrong } from "./row.ts";
import { seconds, within, type World } from "./world.ts";

/** Maximum size of a D1 database, in bytes. */
const MOST_BYTES = 10 * 1_000 ** 3;
const FULL_SHARE = 0.7;
/** A read that takes longer is far away, or waits for others. Milliseconds, measured by the database. */
const SLOW_MS = 500;
/** The platform may be up to a minute late with an alarm. Milliseconds. */
const LATE_MS = 60_000;

/** Returns the problem of a database of this size and read time; null if there is none. */
export function databaseProblem(bytes: number, ms: number | null): string | null {
  if (bytes > FULL_SHARE * MOST_BYTES)
    return `it has ${giga(bytes)} of the ${giga(MOST_BYTES)} that one database holds`;
  return ms !== null && ms > SLOW_MS ? `a read of one row took ${Math.round(ms)} ms` : null;
}

const giga = (bytes: number): string => `${(bytes / 1_000 ** 3).toFixed(2)} GB`;

const Points = z.object({ data: z.array(z.object({ points: z.coerce.number() })) });
const ANALYTICS = "https://api.cloudflare.com/client/v4/accounts";

/** Returns the number of metrics written in the last minutes, by Cloudflare's API. */
async function pointsWritten({ signal }: World): Promise<number> {
  const { CLOUDFLARE_ACCOUNT_ID: account, CLOUDFLARE_API_TOKEN: token } = process.env;
  if (account === undefined || token === undefined)
    throw new LeftOut(
      "set CLOUDFLARE_ACCOUNT_ID, and CLOUDFLARE_API_TOKEN to a token that may read Account Analytics; the log is only at hand on a local stack",
    );
  const response = await fetch(`${ANALYTICS}/${account}/analytics_engine/sql`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: `SELECT count() AS points FROM segmentation WHERE timestamp > NOW() - INTERVAL '15' MINUTE FORMAT JSON`,
    signal,
  });
  if (!response.ok) throw new Wrong(`Analytics Engine answers ${response.status}`);
  return Points.parse(await response.json()).data[0]?.points ?? 0;
}

/** Rows about data that only the operator can see: the database, the log and the metrics. */
export const OPERATOR_ROWS: readonly Row[] = [
  {
    name: "database",
    mend: "add a database (docs/operations/administration.md#several-databases), or lower RETENTION_DAYS and LEDGER_OPEN_DAYS; if callers and database are on different continents, set [placement] (docs/operations/deploy.md)",
    run: async ({ database, signal }) => {
      if ("reason" in database) throw new LeftOut(database.reason);
      const measures = await database.measure(signal);
      const nameOf = (name: string): string => (measures.length === 1 ? "" : `${name}: `);
      const problems = measures.flatMap(({ name, bytes, ms }) => {
        const problem = databaseProblem(bytes, ms);
        return problem === null ? [] : [nameOf(name) + problem];
      });
      if (problems.length > 0) throw new Wrong(problems.join("; "));
      return measures
        .map(
          ({ name, bytes, ms }) =>
            `${nameOf(name)}${giga(bytes)} of ${giga(MOST_BYTES)}, ${ms === null ? "a local stack measures no time" : `${ms.toFixed(1)} ms for a read`}`,
        )
        .join("; ");
    },
  },
  {
    name: "batches of the database",
    mend: "do not go live: use would not be metered. Report it to the maintainers with this row",
    run: async (world) => {
      const { databases } = DatabaseProbe.parse(await probe(world, "databases"));
      for (const { name, countsChanges, showsErrors } of databases) {
        if (!countsChanges) throw new Wrong(`${name}: changes() does not count the statement before it`);
        if (!showsErrors) throw new Wrong(`${name}: an error does not have the text of SQLite's`);
      }
      return "changes() counts the statement before it, and errors have SQLite's text";
    },
  },
  {
    name: "an alarm's delay",
    mend: "try it again: Cloudflare documents up to a minute. Tasks whose holder has died are tried again that much later",
    run: async (world) => {
      const { lateMs } = AlarmProbe.parse(await probe(world, "alarm"));
      if (lateMs > LATE_MS) throw new Wrong(`an alarm was ${seconds(lateMs)} late`);
      return `an alarm was ${Math.round(lateMs)} ms late`;
    },
  },
  {
    name: "protocol",
    mend: "deploy matching versions of the Worker and the inference service (docs/operations/maintenance.md#upgrades): until then tasks wait",
    run: async (world) => {
      const { worker, service, reason } = ProtocolProbe.parse(await probe(world, "protocol"));
      if (service === null) throw new LeftOut(`the inference service says nothing: ${reason ?? ""}`);
      if (service !== worker)
        throw new Wrong(`the Worker speaks version ${worker}, the inference service ${service}`);
      return `the Worker and the inference service speak version ${worker}`;
    },
  },
  {
    name: "log and metrics",
    mend: "see [observability] and [[analytics_engine_datasets]] in wrangler.toml, and that Analytics Engine is enabled (docs/operations/monitoring.md#dashboards-and-alarms)",
    run: async (world) => {
      const { local, client, form, signal } = world;
      if (local === null) {
        const points = await within(
          form.patienceMs / 2,
          async () => (await pointsWritten(world)) || null,
          signal,
        );
        if (points === null) throw new Wrong("Analytics Engine has no metric of the last 15 minutes");
        return `${points} metrics in the last 15 minutes`;
      }
      const { response } = await client.api.getAccount(undefined, { signal }).withResponse();
      const id = response.headers.get("x-request-id");
      if (id === null) throw new Wrong("an answer has no X-Request-Id");
      const path = join(local.state.logs, "worker.log");
      const has = async () => ((await readFile(path, "utf8").catch(() => "")).includes(id) ? true : null);
      if ((await within(form.letGoMs, has, signal)) === null)
        throw new Wrong(`${path} has no line of the request ${id}`);
      return "the log has a verified request's line; a local stack has no metrics";
    },
  },
];

const AT_A_TIME = 40;
/** Factor by which the requests exceed the rate: each Cloudflare location counts separately and approximately. */
const BEYOND = 2.5;
/** Below this, the rate was hardly exceeded, and nothing follows from it. */
const SURELY = 1.5;
const MINUTE_MS = 60_000;

/** The last row, after everything was deleted: the account's next requests are refused for a minute. */
export const RATE_ROW: Row = {
  name: "rate limit",
  mend: "see [[ratelimits]] in wrangler.toml: RATE_LIMIT has its own namespace_id, which no other Worker of the account uses",
  run: async ({ baseUrl, apiKey, signal, form: { perMinute } }) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const begun = Date.now();
    let sent = 0;
    let failed = 0;
    const refusals: Response[] = [];
    const send = async (): Promise<void> => {
      while (sent < BEYOND * perMinute && refusals.length === 0) {
        sent += 1;
        const response = await fetch(`${baseUrl}/v1/account`, { headers, signal }).catch(() => null);
        signal.throwIfAborted();
        await response?.body?.cancel();
        if (response === null) failed += 1;
        else if (response.status === 429) refusals.push(response);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, send));
    const [refusal] = refusals;
    if (refusal !== undefined) {
      const retryAfter = refusal.headers.get("retry-after");
      if (retryAfter === null) throw new Wrong("a 429 has no Retry-After");
      return `429 after ${sent} requests, Retry-After: ${retryAfter}`;
    }
    const reached = ((sent - failed) / Math.max(MINUTE_MS, Date.now() - begun)) * MINUTE_MS;
    if (failed < sent / 2 && reached < SURELY * perMinute)
      throw new LeftOut(`only ${Math.round(reached)} requests per minute came through from here`);
    throw new Wrong(`none of ${sent} requests was refused; ${failed} had no answer`);
  },
};
