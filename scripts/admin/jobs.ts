import { Failure } from "../shared/command-line.ts";
import type { Database, Row } from "./database.ts";
import { sql } from "./sql.ts";

function readable(name: string, value: Row[string]): Row[string] {
  return name.endsWith("_at") && typeof value === "number" ? new Date(value).toISOString() : value;
}

/** A job's row in the list of jobs, with its times as ISO 8601; fails where there is no such job. */
export async function findJob(database: Database, jobId: string, signal?: AbortSignal): Promise<Row> {
  const [rows] = await database.run([sql`SELECT * FROM jobs WHERE id = ${jobId}`], signal);
  const row = rows?.[0];
  if (!row) throw new Failure(`There is no job ${jobId}.`);
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, readable(name, value)]));
}
