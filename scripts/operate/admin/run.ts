import {
  accountDatabases,
  DEFAULT_CONFIG,
  readConfiguration,
} from "../../shared/cloudflare/configuration.ts";
import { stateFolder } from "../../shared/state/state-folder.ts";
import { adminHelp, parseAdminArguments } from "./arguments.ts";
import type { Service } from "./command.ts";
import {
  type Database,
  openExistingDatabase,
  openLocalDatabase,
  openRemoteDatabase,
} from "../../shared/database/database.ts";
import { booksOf } from "./databases.ts";
import { openLocalOperatorApi, openRemoteOperatorApi } from "../../shared/database/operator-api.ts";
import { print } from "../../shared/database/print.ts";

/** Runs one administrative command and returns the exit code. */
export async function runAdmin(args: readonly string[], signal: AbortSignal): Promise<number> {
  const parsed = parseAdminArguments(args);
  if (parsed.action === "help") {
    console.log(adminHelp(parsed.about));
    return args.length === 0 ? 2 : 0;
  }
  const { run, remote, config = DEFAULT_CONFIG, json } = parsed;
  const state = stateFolder(process.env["STATE_DIR"]);
  const databases: Service["databases"] = async ({ create } = { create: false }) => {
    const open = (binding: string): Database | Promise<Database> =>
      remote
        ? openRemoteDatabase(config, signal, binding)
        : (create ? openLocalDatabase : openExistingDatabase)(state, signal, binding);
    const configuration = await readConfiguration(config, { operator: remote });
    const opened: [string, Database][] = [];
    for (const { binding } of accountDatabases(configuration)) opened.push([binding, await open(binding)]);
    return new Map(opened);
  };
  const service: Service = {
    configFile: remote ? config : null,
    databases,
    books: async (accountId) => booksOf(await databases(), accountId),
    api: () => (remote ? openRemoteOperatorApi(config, signal) : openLocalOperatorApi(state, signal)),
    signal,
  };
  const outcome = await run(service);
  print(outcome, json);
  return outcome.exitCode ?? 0;
}
