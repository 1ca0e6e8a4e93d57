import { SettingsSchema } from "../../src/settings.ts";
import { stateFolder } from "../stack/state-folder.ts";
import { createAccount, listAccounts, setPlan, setStatus } from "./accounts.ts";
import { ADMIN_HELP, type AdminCommand, parseAdminArguments } from "./arguments.ts";
import { type Database, openExistingDatabase, openLocalDatabase, openRemoteDatabase } from "./database.ts";
import { findJob } from "./jobs.ts";
import { createKey, listKeys, revokeKey } from "./keys.ts";
import { checkLedger } from "./ledger-check.ts";
import { type Outcome, print, readable } from "./print.ts";

type Action = Exclude<AdminCommand, { action: "help" }>;

async function perform(database: Database, command: Action, signal: AbortSignal): Promise<Outcome> {
  switch (command.action) {
    case "create-account": {
      const account = { email: command.email, name: command.name, plan: command.plan, keyLabel: "first key" };
      return { result: { ...(await createAccount(database, account, signal)) } };
    }
    case "set-plan":
      return { result: await setPlan(database, command.accountId, command.plan, signal) };
    case "suspend":
      return { result: await setStatus(database, command.accountId, "suspended", signal) };
    case "resume":
      return { result: await setStatus(database, command.accountId, "active", signal) };
    case "list-accounts": {
      const accounts = await listAccounts(database, signal);
      return { result: accounts.map(readable), summary: `${accounts.length} accounts.` };
    }
    case "create-key": {
      const { keyId, secret } = await createKey(database, command.accountId, command.label, signal);
      return { result: { accountId: command.accountId, keyId, secret } };
    }
    case "revoke-key":
      return {
        result: { keyId: command.keyId, revokedAt: await revokeKey(database, command.keyId, signal) },
      };
    case "list-keys": {
      const keys = await listKeys(database, command.accountId, signal);
      return { result: keys.map(readable), summary: `${keys.length} keys.` };
    }
    case "show-job":
      return { result: await findJob(database, command.jobId, signal) };
    case "ledger-check": {
      const grant = command.grant ?? SettingsSchema.shape.TRIAL_TOKENS.parse(process.env["TRIAL_TOKENS"]);
      const { findings, summary } = await checkLedger(database, grant, Date.now(), signal);
      return { result: findings, summary, exitCode: findings.length === 0 ? 0 : 1 };
    }
  }
}

async function open({ action, remote }: Action, signal: AbortSignal): Promise<Database> {
  if (remote) return openRemoteDatabase();
  const state = stateFolder(process.env["STATE_DIR"]);
  return action === "create-account" ? openLocalDatabase(state, signal) : openExistingDatabase(state, signal);
}

/** Runs one administrative command and returns the exit code. */
export async function runAdmin(args: readonly string[], signal: AbortSignal): Promise<number> {
  const command = parseAdminArguments(args);
  if (command.action === "help") {
    console.log(ADMIN_HELP);
    return args.length === 0 ? 2 : 0;
  }
  const database = await open(command, signal);
  const outcome = await perform(database, command, signal);
  print(outcome, command.json);
  return outcome.exitCode ?? 0;
}
