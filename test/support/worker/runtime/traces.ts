import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { at } from "../../at.ts";
import { home } from "./databases.ts";

/** The place of a finding: "table.column", "bucket key", or "object of job_…". */
export type Trace = string;

async function tablesWith(mark: string): Promise<Trace[]> {
  const { results: tables } = await home.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'",
  ).all<{ name: string }>();
  const contents = await home.DB.batch<Record<string, unknown>>(
    tables.map(({ name }) => home.DB.prepare(`SELECT * FROM "${name}"`)),
  );
  const traces: Trace[] = [];
  for (const [i, { results }] of contents.entries()) {
    const { name } = at(tables, i);
    for (const row of results) {
      for (const [column, value] of Object.entries(row)) {
        if (String(value).includes(mark)) traces.push(`${name}.${column}`);
      }
    }
  }
  return traces;
}

async function objectsWith(mark: string): Promise<Trace[]> {
  const { objects, truncated } = await env.MEDIA.list({ limit: 1_000 });
  if (truncated) throw new Error("the bucket has more objects than one page");
  const traces: Trace[] = [];
  for (const { key } of objects) {
    const body = await (await env.MEDIA.get(key))?.text();
    if (key.includes(mark) || body?.includes(mark)) traces.push(key);
  }
  return traces;
}

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Returns the stored data of a job's object, as strings; "alarm" if it has one set. Empty if it is forgotten. */
export const storedOf = (jobId: string): Promise<string[]> =>
  runInDurableObject(env.JOBS.getByName(jobId), async (_, { storage }) => [
    ...[...(await storage.list())].map((entry) =>
      JSON.stringify(entry, (_key, value: unknown) => (value instanceof Uint8Array ? textOf(value) : value)),
    ),
    ...((await storage.getAlarm()) === null ? [] : ["alarm"]),
  ]);

/** Searches for a string in every column of the database, every key and body of the bucket, and the objects of these jobs. */
export async function tracesOf(mark: string, jobIds: readonly string[]): Promise<Trace[]> {
  const inObjects: Trace[] = [];
  for (const jobId of jobIds) {
    if ((await storedOf(jobId)).some((entry) => entry.includes(mark))) inObjects.push(`object of ${jobId}`);
  }
  return [...(await tablesWith(mark)), ...(await objectsWith(mark)), ...inObjects];
}
