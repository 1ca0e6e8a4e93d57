import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Database, openRemoteDatabase, servedDatabase } from "../admin/database.ts";
import { openLocalOperatorApi } from "../admin/operator-api.ts";
import { readConfiguration } from "../deploy/configuration.ts";
import { messageOf } from "../shared/error-parts.ts";
import type { StateFolder } from "../stack/state-folder.ts";
import { runWrangler } from "../stack/wrangler.ts";

/** A database that says how it is. */
export interface MeasuredDatabase extends Database {
  /** Its size in bytes, and how long a read of one row takes, in milliseconds; null if nothing measures that. */
  readonly measure: (signal: AbortSignal) => Promise<readonly [bytes: number, ms: number | null]>;
}

/** That of a local stack that runs. How long a call to its Worker takes depends on what else the machine does. */
export async function localDatabase(state: StateFolder, signal: AbortSignal): Promise<MeasuredDatabase> {
  const database = servedDatabase(await openLocalOperatorApi(state, signal));
  return {
    ...database,
    measure: async () => {
      const folder = join(state.data, "v3", "d1", "miniflare-D1DatabaseObject");
      const files = (await readdir(folder)).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
      const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).size));
      return [Math.max(0, ...sizes), null];
    },
  };
}

const Measured = z.tuple([z.object({ meta: z.object({ size_after: z.number(), duration: z.number() }) })]);

/** The deployed one of the service at a URL, by Wrangler's login; or why it cannot be asked. */
export async function remoteDatabase(
  configFile: string,
  baseUrl: string,
  signal: AbortSignal,
): Promise<MeasuredDatabase | { readonly reason: string }> {
  try {
    const { path, file, vars } = await readConfiguration(configFile);
    if (String(vars["PUBLIC_URL"]).replace(/\/+$/, "") !== baseUrl)
      return {
        reason: `PUBLIC_URL in ${file} is another service's: name the configuration of this one, --config`,
      };
    await runWrangler(["whoami", "--json"], {}, signal);
    const database = await openRemoteDatabase(configFile);
    const command = ["d1", "execute", "DB", "--remote", "--json", "--yes", "--config", path, "--command"];
    return {
      ...database,
      measure: async (own) => {
        const output = await runWrangler([...command, "SELECT id FROM accounts LIMIT 1"], {}, own);
        const [{ meta }] = Measured.parse(JSON.parse(output));
        return [meta.size_after, meta.duration];
      },
    };
  } catch (error) {
    signal.throwIfAborted();
    return {
      reason: `Wrangler is not logged in here (npx wrangler login): ${messageOf(error).split("\n")[0]}`,
    };
  }
}
