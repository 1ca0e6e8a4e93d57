import { z } from "zod";
import { counted } from "../../../client/src/cli/progress/words.ts";
import { WorkerName } from "../../../src/gateway/contract/workers.ts";
import { SettingsSchema } from "../../../src/settings.ts";
import { stateFolder } from "../../shared/state/state-folder.ts";
import {
  PLANS,
  setCredit,
  setPlan,
  setStatus,
  setUnitsPerDay,
  showAccount,
} from "../../shared/database/accounts.ts";
import { openBucket } from "../../shared/database/database.ts";
import { command } from "./command.ts";
import {
  addDatabase,
  checkLedgers,
  createAccountSomewhere,
  createKeyWhereItIs,
  findJobAnywhere,
  listAllAccounts,
  listDatabases,
  revokeKeyWhereItIs,
} from "./databases.ts";
import { eraseAccount } from "./erase-account.ts";
import { localObjectIds, remoteObjectIds } from "./job-objects.ts";
import { listKeys } from "../../shared/database/keys.ts";
import { cancelJob, deadLetters, showJob, stuckJobs, wakeJob } from "./operate.ts";
import { deleteCopy, moveAccount } from "./move-account.ts";
import { readable } from "../../shared/database/print.ts";
import { rebuildDirectory } from "./rebuild-directory.ts";
import { addWorker, listWorkers, removeWorker } from "./workers.ts";
import { relist } from "./relist.ts";
import { rotateSecret } from "./rotate-secret.ts";

/** A string option of this form. */
const text = (pattern: RegExp, form: string) => z.string().regex(pattern, form);
const id = (kind: string): RegExp => new RegExp(`^${kind}_[0-9a-f]{32}$`);

const EMAIL = text(/^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u, "an e-mail address like a@example.com");
const WORDS = text(/^[^\p{Cc}]{1,100}$/u, "1 to 100 characters");
const PLAN = z.enum(PLANS, `${PLANS.slice(0, -1).join(", ")} or ${PLANS.at(-1)}`);
const ACCOUNT = text(id("acct"), "an account's id (acct_…)");
const JOB = text(id("job"), "an id like job_…, with 32 hexadecimal digits");
const account = z.strictObject({ account: ACCOUNT });
const job = z.strictObject({ job: JOB });

const named = z.strictObject({
  name: z
    .string()
    .refine(
      (name) => WorkerName.safeParse(name).success,
      "1 to 40 lowercase letters, digits and hyphens, like desk",
    ),
});

/** Null for the default. */
const unitsOrDefault = (pattern: RegExp) =>
  text(pattern, "a whole number of units, or default").transform((units) =>
    units === "default" ? null : Number(units),
  );

const DATABASE = text(/^DB(?:_[1-9]\d*)?$/, "a database's binding, like DB_2");

/** Returns the tokens of a trial, by the Worker's setting. */
const trialTokens = (): number => SettingsSchema.shape.TRIAL_TOKENS.parse(process.env["TRIAL_TOKENS"]);

/** Pause between two runs of an erasure after a run that could delete nothing. */
const PAUSE_MS = 2_000;

export const COMMANDS = {
  "create-account": command({
    takes: `--email a@example.com --plan ${PLANS.join("|")} [--name "A Name"]`,
    does: "creates an account and its first key",
    options: z.strictObject({ email: EMAIL, plan: PLAN, name: WORDS.nullable().default(null) }),
    run: async (given, { databases }) => {
      const asked = { ...given, keyLabel: "first key" };
      return { result: { ...(await createAccountSomewhere(await databases({ create: true }), asked)) } };
    },
  }),
  "list-accounts": command({
    takes: "[--email a@example.com] [--limit 50] [--after ID]",
    does: "lists accounts, newest first; --after continues after the last one of a page",
    options: z.strictObject({
      email: EMAIL.nullable().default(null),
      after: ACCOUNT.nullable().default(null),
      limit: text(/^(?:[1-9]\d{0,2}|1000)$/, "a number from 1 to 1000")
        .default("50")
        .transform(Number),
    }),
    run: async (page, { databases }) => {
      const { accounts, more } = await listAllAccounts(await databases(), page);
      const next = ` There are more: --after ${String(accounts.at(-1)?.["accountId"])}`;
      return {
        result: accounts.map(readable),
        summary: `${counted(accounts.length, "account")}.${more ? next : ""}`,
      };
    },
  }),
  "show-account": command({
    takes: "--account ID",
    does: "shows an account's owner, plan, status, keys, jobs, usage and billing",
    options: account,
    run: async (given, { books }) => ({
      result: await showAccount(await books(given.account), given.account, Date.now()),
    }),
  }),
  "set-plan": command({
    takes: `--account ID --plan ${PLANS.join("|")}`,
    does: "paid and blocked override the subscription; with trial, the subscription decides",
    options: account.extend({ plan: PLAN }),
    run: async (given, { books }) => ({
      result: await setPlan(await books(given.account), given.account, given.plan),
    }),
  }),
  "set-limit": command({
    takes: "--account ID --units-per-day N|default",
    does: "limits the units that the jobs of a paying account may reserve per day (UTC)",
    options: account.extend({
      "units-per-day": unitsOrDefault(/^(?:\d{1,9}|default)$/),
    }),
    run: async (given, { books }) => ({
      result: await setUnitsPerDay(await books(given.account), given.account, given["units-per-day"]),
    }),
  }),
  "set-credit": command({
    takes: "--account ID --units N|default",
    does: "sets how many units a subscriber may owe before it has paid for any; each paid invoice adds its units",
    options: account.extend({
      units: unitsOrDefault(/^(?:\d{1,12}|default)$/),
    }),
    run: async (given, { books }) => ({
      result: await setCredit(await books(given.account), given.account, given.units),
    }),
  }),
  "suspend-account": command({
    takes: "--account ID",
    does: "refuses all credentials of an account; its jobs in progress continue",
    options: account,
    run: async (given, { books }) => ({
      result: await setStatus(await books(given.account), given.account, "suspended"),
    }),
  }),
  "resume-account": command({
    takes: "--account ID",
    does: "accepts the credentials of a suspended account again",
    options: account,
    run: async (given, { books }) => ({
      result: await setStatus(await books(given.account), given.account, "active"),
    }),
  }),
  "erase-account": command({
    takes: "--account ID [--yes]",
    does: "erases an account for good (docs/operations/administration.md says what remains); without --yes, only shows it",
    options: account.extend({ yes: z.boolean().default(false) }),
    run: async (given, { books, api, signal }) => {
      const shown = await showAccount(await books(given.account), given.account, Date.now());
      if (!given.yes)
        return {
          result: shown,
          summary: "Nothing was erased. To erase this account for good, add --yes.",
          exitCode: 1,
        };
      const worker = await api();
      const ask = () => worker.call("POST", `/accounts/${given.account}/erase`);
      // Progress goes to standard error, because standard output may be read as JSON.
      return eraseAccount(ask, (progress) => console.error(progress), PAUSE_MS, signal);
    },
  }),
  "list-databases": command({
    takes: "",
    does: "lists the databases, their sizes as last seen, and how many accounts each has",
    options: z.strictObject({}),
    run: async (_given, { databases }) => ({
      result: (await listDatabases(await databases())).map(readable),
    }),
  }),
  "add-database": command({
    takes: "--database DB_2",
    does: "lets new accounts be created in a further database, which wrangler.toml binds and npm run deploy has migrated",
    options: z.strictObject({ database: DATABASE }),
    run: async (given, { databases }) => ({
      result: (await addDatabase(await databases(), given.database)).map(readable),
    }),
  }),
  "move-account": command({
    takes: "--account ID --to DB_2",
    does: "moves an account without jobs in progress to another database; run again, it resumes where it was interrupted",
    options: account.extend({ to: DATABASE }),
    run: async (given, { databases, api, signal }) => {
      const worker = await api();
      const all = await databases();
      return moveAccount({
        ask: (confirmed) =>
          worker.call("POST", `/accounts/${given.account}/move`, { to: given.to, confirmed }),
        checkLedger: (name) =>
          checkLedgers(new Map([...all].filter(([each]) => each === name)), trialTokens(), Date.now()),
        onProgress: (progress) => console.error(progress),
        signal,
      });
    },
  }),
  "delete-copy": command({
    takes: "--account ID --from DB_2 [--yes]",
    does: "deletes the second copy of an account that a restored database has; without --yes, only shows it",
    options: account.extend({ from: DATABASE, yes: z.boolean().default(false) }),
    run: async (given, { api, signal }) => {
      const { from, yes } = given;
      const worker = await api();
      const ask = (confirmed: boolean) =>
        worker.call("POST", `/accounts/${given.account}/delete-copy`, { from, confirmed });
      return deleteCopy(yes, { ask, onProgress: (progress) => console.error(progress), signal });
    },
  }),
  "create-key": command({
    takes: '--account ID [--label "CI"]',
    does: "creates a key and shows its secret once",
    options: account.extend({ label: WORDS.default("admin") }),
    run: async (given, { databases }) => {
      const { keyId, secret } = await createKeyWhereItIs(await databases(), given.account, given.label);
      return { result: { accountId: given.account, keyId, secret } };
    },
  }),
  "revoke-key": command({
    takes: "--key ID",
    does: "revokes a key; it is refused from its next use on",
    options: z.strictObject({ key: text(id("key"), "a key's id (key_…)") }),
    run: async ({ key }, { databases }) => ({
      result: { keyId: key, revokedAt: await revokeKeyWhereItIs(await databases(), key) },
    }),
  }),
  "list-keys": command({
    takes: "--account ID",
    does: "lists an account's keys, newest first, including revoked ones",
    options: account,
    run: async (given, { books }) => {
      const keys = await listKeys(await books(given.account), given.account);
      return { result: keys.map(readable), summary: `${counted(keys.length, "key")}.` };
    },
  }),
  "show-job": command({
    takes: "ID",
    does: "shows a job's tasks with attempts and leases, its archive and its alarm",
    options: job,
    run: (given, { api, databases }) =>
      showJob(api, async () => findJobAnywhere(await databases(), given.job), given.job),
  }),
  "wake-job": command({
    takes: "ID",
    does: "does what the job's alarm does, and pushes its status into the list again",
    options: job,
    run: async (given, { api }) => wakeJob(await api(), given.job),
  }),
  "cancel-job": command({
    takes: "ID",
    does: "ends a job: its unfinished tasks fail and cost nothing",
    options: job,
    run: async (given, { api }) => cancelJob(await api(), given.job),
  }),
  "stuck-jobs": command({
    takes: "[--hours 24]",
    does: "lists jobs in progress whose status has not changed for that long, oldest first",
    options: z.strictObject({
      hours: text(/^(?:[1-9]\d?|[1-6]\d\d|7[01]\d|720)$/, "a whole number from 1 to 720")
        .default("24")
        .transform(Number),
    }),
    run: async ({ hours }, { api }) => stuckJobs(await api(), hours),
  }),
  "dead-letters": command({
    takes: "[--replay]",
    does: "lists messages that no consumer could handle; --replay sends them again",
    options: z.strictObject({ replay: z.boolean().default(false) }),
    run: async ({ replay }, { api }) => deadLetters(await api(), replay),
  }),
  relist: command({
    takes: "[--dry-run]",
    does: "writes back the jobs that a restored database has lost; --dry-run only lists them",
    options: z.strictObject({ "dry-run": z.boolean().default(false) }),
    run: async (given, { api, configFile, signal }) => {
      const objectIds =
        configFile === null
          ? localObjectIds(stateFolder(process.env["STATE_DIR"]))
          : remoteObjectIds(configFile, signal);
      return relist(await api(), objectIds, given["dry-run"]);
    },
  }),
  "add-worker": command({
    takes: "--name desk",
    does: "adds an inference service that connects to the gateway, and prints the line that starts it",
    options: named,
    run: async ({ name }, { api }) => addWorker(await api(), name),
  }),
  "list-workers": command({
    takes: "",
    does: "lists the gateway's workers with model, device, version, tasks in progress and connection",
    options: z.strictObject({}),
    run: async (_, { api }) => listWorkers(await api()),
  }),
  "remove-worker": command({
    takes: "--name desk",
    does: "revokes a worker's token and closes its connection",
    options: named,
    run: async ({ name }, { api }) => removeWorker(await api(), name),
  }),
  "rotate-secret": command({
    takes: "",
    does: "after a change of MASTER_SECRET, seals what is stored with the new one, and says when the previous one may be deleted",
    options: z.strictObject({}),
    run: async (_, { api }) => rotateSecret(await api(), (progress) => console.error(progress), Date.now()),
  }),
  "rebuild-directory": command({
    takes: "[--dry-run]",
    does: "after a restore: makes the directory say what the books of all databases say; --dry-run only compares; exit code 1 if they disagree",
    options: z.strictObject({ "dry-run": z.boolean().default(false) }),
    run: async (given, { databases }) => rebuildDirectory(await databases(), { dryRun: given["dry-run"] }),
  }),
  "ledger-check": command({
    takes: "[--grant 100] [--objects]",
    does: "checks that the ledger agrees with the jobs and the metered usage; --objects also reads closed books; exit code 1 if it does not",
    options: z.strictObject({
      grant: text(/^[1-9]\d{0,8}$/, "a whole number of tokens")
        .transform(Number)
        .nullable()
        .default(null),
      objects: z.boolean().default(false),
    }),
    run: async ({ grant, objects }, { databases, configFile, signal }) => {
      const tokens = grant ?? trialTokens();
      const read = objects ? await openBucket(configFile, signal) : undefined;
      const { findings, summary } = await checkLedgers(await databases(), tokens, Date.now(), {
        read,
        onProgress: (progress) => console.error(`so far: ${progress}`),
      });
      return { result: findings, summary, exitCode: findings.length === 0 ? 0 : 1 };
    },
  }),
} as const;

export type Action = keyof typeof COMMANDS;
