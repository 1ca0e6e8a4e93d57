import { SettingsSchema } from "../../src/settings.ts";
import { stateFolder } from "../stack/state-folder.ts";
import { createAccount, listAccounts, setPlan, setStatus, setUnitsPerDay, showAccount } from "./accounts.ts";
import { adminHelp, type AdminCommand, parseAdminArguments } from "./arguments.ts";
import { openBucket } from "./bucket.ts";
import { type Database, openExistingDatabase, openLocalDatabase, openRemoteDatabase } from "./database.ts";
import { eraseAccount } from "./erase-account.ts";
import { findJob } from "./jobs.ts";
import { localObjectIds, remoteObjectIds } from "./job-objects.ts";
import { createKey, listKeys, revokeKey } from "./keys.ts";
import { checkLedger } from "./ledger-check.ts";
import { cancelJob, deadLetters, showJob, stuckJobs, wakeJob } from "./operate.ts";
import { type OperatorApi, openLocalOperatorApi, openRemoteOperatorApi } from "./operator-api.ts";
import { DEFAULT_CONFIG } from "../deploy/arguments.ts";
import { type Outcome, print, readable } from "./print.ts";
import { relist } from "./relist.ts";

type Action = Exclude<AdminCommand, { action: "help" }>;

type OperatorAction = Extract<
  Action,
  { action: "show-job" | "wake-job" | "cancel-job" | "stuck-jobs" | "dead-letters" | "relist" }
>;
type DatabaseAction = Exclude<Action, OperatorAction>;

const OPERATOR_ACTIONS: ReadonlySet<string> = new Set<OperatorAction["action"]>([
  "show-job",
  "wake-job",
  "cancel-job",
  "stuck-jobs",
  "dead-letters",
  "relist",
]);
const isForOperator = (command: Action): command is OperatorAction => OPERATOR_ACTIONS.has(command.action);

const configOf = ({ config }: Action): string => config ?? DEFAULT_CONFIG;

const openOperatorApi = (command: Action, signal: AbortSignal): Promise<OperatorApi> =>
  command.remote
    ? openRemoteOperatorApi(configOf(command), signal)
    : openLocalOperatorApi(stateFolder(process.env["STATE_DIR"]), signal);

/** What only the JobObjects know: the running Worker asks them. */
async function operate(command: OperatorAction, signal: AbortSignal): Promise<Outcome> {
  const state = stateFolder(process.env["STATE_DIR"]);
  const api = () => openOperatorApi(command, signal);
  switch (command.action) {
    case "show-job": {
      const { jobId } = command;
      return showJob(api, async () => findJob(await open(command, signal), jobId, signal), jobId);
    }
    case "wake-job":
      return wakeJob(await api(), command.jobId);
    case "cancel-job":
      return cancelJob(await api(), command.jobId);
    case "stuck-jobs":
      return stuckJobs(await api(), command.hours);
    case "dead-letters":
      return deadLetters(await api(), command.replay);
    case "relist": {
      const objectIds = command.remote ? remoteObjectIds(configOf(command), signal) : localObjectIds(state);
      return relist(await api(), objectIds, command.dryRun);
    }
  }
}

/** Between two runs of an erasure that found something that did not go. */
const PAUSE_MS = 2_000;

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? "" : "s"}`;

async function perform(database: Database, command: DatabaseAction, signal: AbortSignal): Promise<Outcome> {
  switch (command.action) {
    case "create-account": {
      const account = { email: command.email, name: command.name, plan: command.plan, keyLabel: "first key" };
      return { result: { ...(await createAccount(database, account, signal)) } };
    }
    case "set-plan":
      return { result: await setPlan(database, command.accountId, command.plan, signal) };
    case "set-limit":
      return { result: await setUnitsPerDay(database, command.accountId, command.unitsPerDay, signal) };
    case "suspend-account":
      return { result: await setStatus(database, command.accountId, "suspended", signal) };
    case "resume-account":
      return { result: await setStatus(database, command.accountId, "active", signal) };
    case "list-accounts": {
      const { accounts, more } = await listAccounts(database, command, signal);
      const next = ` There are more: --after ${String(accounts.at(-1)?.["accountId"])}`;
      return {
        result: accounts.map(readable),
        summary: `${counted(accounts.length, "account")}.${more ? next : ""}`,
      };
    }
    case "show-account":
      return { result: await showAccount(database, command.accountId, Date.now(), signal) };
    case "erase-account": {
      const account = await showAccount(database, command.accountId, Date.now(), signal);
      if (!command.yes) {
        return {
          result: account,
          summary: "Nothing was erased. To erase this account for ever, add --yes.",
          exitCode: 1,
        };
      }
      const api = await openOperatorApi(command, signal);
      const ask = () => api.call("POST", `/accounts/${command.accountId}/erase`);
      // Not among the results, which may be read as JSON.
      return eraseAccount(ask, (progress) => console.error(progress), PAUSE_MS, signal);
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
      return { result: keys.map(readable), summary: `${counted(keys.length, "key")}.` };
    }
    case "ledger-check": {
      const grant = command.grant ?? SettingsSchema.shape.TRIAL_TOKENS.parse(process.env["TRIAL_TOKENS"]);
      const read = command.objects
        ? await openBucket(command.remote ? configOf(command) : null, signal)
        : undefined;
      const { findings, summary } = await checkLedger(database, grant, Date.now(), {
        signal,
        read,
        tell: (progress) => console.error(`so far: ${progress}`),
      });
      return { result: findings, summary, exitCode: findings.length === 0 ? 0 : 1 };
    }
  }
}

async function open(command: Action, signal: AbortSignal): Promise<Database> {
  const { action, remote } = command;
  if (remote) return openRemoteDatabase(configOf(command));
  const state = stateFolder(process.env["STATE_DIR"]);
  return action === "create-account" ? openLocalDatabase(state, signal) : openExistingDatabase(state, signal);
}

/** Runs one administrative command and returns the exit code. */
export async function runAdmin(args: readonly string[], signal: AbortSignal): Promise<number> {
  const command = parseAdminArguments(args);
  if (command.action === "help") {
    console.log(adminHelp(command.about));
    return args.length === 0 ? 2 : 0;
  }
  const outcome = isForOperator(command)
    ? await operate(command, signal)
    : await perform(await open(command, signal), command, signal);
  print(outcome, command.json);
  return outcome.exitCode ?? 0;
}
