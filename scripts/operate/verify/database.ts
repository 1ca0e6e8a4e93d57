import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Database, openRemoteDatabase, servedDatabase } from "../../shared/database/database.ts";
import { openLocalOperatorApi } from "../../shared/database/operator-api.ts";
import { FIRST_DATABASE } from "../../../src/shared/storage/databases.ts";
import {
  accountDatabases,
  DEFAULT_CONFIG,
  readConfiguration,
} from "../../shared/cloudflare/configuration.ts";
import { messageOf } from "../../shared/error-parts.ts";
import type { StateFolder } from "../../shared/state/state-folder.ts";
import { runWrangler } from "../../shared/cloudflare/wrangler.ts";

/** The condition of one database. */
interface Measure {
  /** The name of its binding. */
  readonly name: string;
  readonly bytes: number;
  /** Duration of a read of one row; null if nothing measures it. */
  readonly ms: number | null;
}

/** All databases of a service: a statement is run in each of them, because the account's rows are in one. They say how they are. */
export interface MeasuredDatabases extends Database {
  readonly measure: (signal: AbortSignal) => Promise<readonly Measure[]>;
}

const inEach = (databases: readonly Database[]): Database => ({
  run: async (statements) => {
    const answers = await Promise.all(databases.map((database) => database.run(statements)));
    return statements.map((_, i) => answers.flatMap((rows) => rows[i] ?? []));
  },
});

/** Those of a local stack that runs; only the largest is measured. A call's time depends on the machine's other work. */
export async function localDatabases(state: StateFolder, signal: AbortSignal): Promise<MeasuredDatabases> {
  const api = await openLocalOperatorApi(state, signal);
  const bound = accountDatabases(await readConfiguration(DEFAULT_CONFIG, { operator: false }));
  return {
    ...inEach(bound.map(({ binding }) => servedDatabase(api, binding))),
    measure: async () => {
      const folder = join(state.data, "v3", "d1", "miniflare-D1DatabaseObject");
      const files = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
      const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).size));
      return [{ name: FIRST_DATABASE, bytes: Math.max(0, ...sizes), ms: null }];
    },
  };
}

const Measured = z.tuple([z.object({ meta: z.object({ size_after: z.number(), duration: z.number() }) })]);

/** The deployed ones of the service at a URL, by Wrangler's login; or why they cannot be asked. */
export async function remoteDatabases(
  configFile: string,
  baseUrl: string,
  signal: AbortSignal,
): Promise<MeasuredDatabases | { readonly reason: string }> {
  try {
    const configuration = await readConfiguration(configFile);
    const { path, file, vars } = configuration;
    if (String(vars["PUBLIC_URL"]).replace(/\/+$/, "") !== baseUrl)
      return {
        reason: `PUBLIC_URL in ${file} is another service's: name the configuration of this one, --config`,
      };
    await runWrangler(["whoami", "--json"], {}, signal);
    const names = accountDatabases(configuration).map(({ binding }) => binding);
    const measured = async (name: string, own: AbortSignal): Promise<Measure> => {
      const where = ["--remote", "--json", "--yes", "--config", path];
      const read = ["--command", "SELECT id FROM accounts LIMIT 1"];
      const output = await runWrangler(["d1", "execute", name, ...where, ...read], {}, own);
      const [{ meta }] = Measured.parse(JSON.parse(output));
      return { name, bytes: meta.size_after, ms: meta.duration };
    };
    return {
      ...inEach(await Promise.all(names.map((name) => openRemoteDatabase(configFile, signal, name)))),
      measure: (own) => Promise.all(names.map((name) => measured(name, own))),
    };
  } catch (error) {
    signal.throwIfAborted();
    return {
      reason: `Wrangler is not logged in here (npx wrangler login): ${messageOf(error).split("\n")[0]}`,
    };
  }
}
