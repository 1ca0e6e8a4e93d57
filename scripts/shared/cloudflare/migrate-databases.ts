import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { D1Database } from "@cloudflare/workers-types";
import { parse } from "smol-toml";
import { getPlatformProxy, unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import { z } from "zod";
import { PROJECT_ROOT } from "../root.ts";

/*
 * Applies the migrations to the local D1 databases of wrangler.toml, and maintains Wrangler's table of applied ones. `wrangler d1
 * migrations apply` starts a runtime for each migration of each database, which takes four times as long.
 */

const Configuration = z.object({
  compatibility_date: z.string(),
  d1_databases: z.array(z.looseObject({ binding: z.string() })),
});

const { values } = parseArgs({ options: { data: { type: "string", default: join(".local", "data") } } });
const configuration = Configuration.parse(parse(await readFile(join(PROJECT_ROOT, "wrangler.toml"), "utf8")));
// With only the databases, Wrangler neither starts nor warns of other bindings.
const configPath = join(values.data, "databases.json");
await writeFile(configPath, JSON.stringify(configuration));

const folder = join(PROJECT_ROOT, "migrations");
const migrations: { readonly name: string; readonly queries: readonly string[] }[] = [];
for (const name of (await readdir(folder)).toSorted())
  migrations.push({ name, queries: splitSqlQuery(await readFile(join(folder, name), "utf8")) });

async function migrate(database: D1Database): Promise<void> {
  await database.exec(
    `CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`,
  );
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  for (const { name, queries } of migrations.filter((one) => !applied.has(one.name)))
    await database.batch([
      ...queries.map((query) => database.prepare(query)),
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    ]);
}

const { env, dispose } = await getPlatformProxy<Readonly<Record<string, D1Database>>>({
  configPath,
  persist: { path: join(values.data, "v3") },
});
try {
  for (const database of Object.values(env)) await migrate(database);
} finally {
  await dispose();
}
