import { stateFolder } from "../stack/state-folder.ts";
import { createAccount } from "./accounts.ts";
import { ADMIN_HELP, type AdminCommand, parseAdminArguments } from "./arguments.ts";
import { type Database, type Row, openLocalDatabase, openRemoteDatabase } from "./database.ts";
import { findJob } from "./jobs.ts";
import { createKey, revokeKey } from "./keys.ts";

type Action = Exclude<AdminCommand, { action: "help" }>;

async function perform(database: Database, command: Action, signal: AbortSignal): Promise<Row> {
  switch (command.action) {
    case "create-account": {
      const account = { email: command.email, name: command.name, plan: command.plan, keyLabel: "first key" };
      return { ...(await createAccount(database, account, signal)) };
    }
    case "create-key": {
      const { keyId, secret } = await createKey(database, command.accountId, command.label, signal);
      return { accountId: command.accountId, keyId, secret };
    }
    case "revoke-key":
      return { keyId: command.keyId, revokedAt: await revokeKey(database, command.keyId, signal) };
    case "show-job":
      return await findJob(database, command.jobId, signal);
  }
}

function print(result: Row): void {
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(width)}  ${value ?? "-"}`);
  if ("secret" in result) console.log("\nThe secret is shown this once; only its digest is stored.");
}

/** Performs one administrative command; gives the exit code. */
export async function runAdmin(args: readonly string[], signal: AbortSignal): Promise<number> {
  const command = parseAdminArguments(args);
  if (command.action === "help") {
    console.log(ADMIN_HELP);
    return args.length === 0 ? 2 : 0;
  }
  const database = command.remote
    ? openRemoteDatabase()
    : await openLocalDatabase(stateFolder(process.env["STATE_DIR"]), signal);
  const result = await perform(database, command, signal);
  if (command.json) console.log(JSON.stringify(result));
  else print(result);
  return 0;
}
