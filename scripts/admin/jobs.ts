import { Failure } from "../shared/command-line.ts";
import type { Database, Row } from "./database.ts";
import { readable } from "./print.ts";
import { sql } from "./sql.ts";

/** A job's row in the list of jobs, with its times as ISO 8601. @throws Failure if there is no such job */
export async function findJob(database: Database, jobId: string, signal?: AbortSignal): Promise<Row> {
  const [rows] = await database.run([sql`SELECT * FROM jobs WHERE id = ${jobId}`], signal);
  const row = rows?.[0];
  if (!row) throw new Failure(`There is no job ${jobId}.`);
  return readable(row);
}
