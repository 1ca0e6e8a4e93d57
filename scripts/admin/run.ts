import { DEFAULT_CONFIG } from "../deploy/configuration.ts";
import { stateFolder } from "../stack/state-folder.ts";
import { adminHelp, parseAdminArguments } from "./arguments.ts";
import type { Service } from "./commands.ts";
import { openExistingDatabase, openLocalDatabase, openRemoteDatabase } from "./database.ts";
import { openLocalOperatorApi, openRemoteOperatorApi } from "./operator-api.ts";
import { print } from "./print.ts";

/** Runs one administrative command and returns the exit code. */
export async function runAdmin(args: readonly string[], signal: AbortSignal): Promise<number> {
  const parsed = parseAdminArguments(args);
  if (parsed.action === "help") {
    console.log(adminHelp(parsed.about));
    return args.length === 0 ? 2 : 0;
  }
  const { run, remote, config = DEFAULT_CONFIG, json } = parsed;
  const state = stateFolder(process.env["STATE_DIR"]);
  const service: Service = {
    configFile: remote ? config : null,
    database: async ({ create } = { create: false }) =>
      remote
        ? openRemoteDatabase(config)
        : await (create ? openLocalDatabase : openExistingDatabase)(state, signal),
    api: () => (remote ? openRemoteOperatorApi(config, signal) : openLocalOperatorApi(state, signal)),
    signal,
  };
  const outcome = await run(service);
  print(outcome, json);
  return outcome.exitCode ?? 0;
}
