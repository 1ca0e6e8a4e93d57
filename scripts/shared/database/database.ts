import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { FIRST_DATABASE } from "../../../src/shared/storage/databases.ts";
import { readConfiguration } from "../cloudflare/configuration.ts";
import { Failure } from "../command-line.ts";
import { isFolderLocked } from "../state/folder-lock.ts";
import { applyMigrations } from "../cloudflare/migrations.ts";
import { type StateFolder, createStateFolder, stackMark, stateFolder } from "../state/state-folder.ts";
import { Row, SQL_PATH, SqlAnswer, type SqlRequest, OBJECT_PATH, ObjectAnswer } from "./storage-calls.ts";
import { readLocalStorage } from "../cloudflare/wrangler-settings.ts";
import { WranglerFailure, runWrangler } from "../cloudflare/wrangler.ts";
import type { ReadObject } from "./closed-books.ts";
import { openLocalOperatorApi, type OperatorApi } from "./operator-api.ts";

export type { Row } from "./storage-calls.ts";

const Answer = z.array(z.object({ results: z.array(Row), success: z.literal(true) }));

/** The D1 database of a local stack, or the deployed one. */
export interface Database {
  /** Runs the statements in one call and returns the rows of each. The signal with which it was opened ends it. */
  readonly run: (statements: readonly string[]) => Promise<Row[][]>;
}

const BUSY = /SQLITE_BUSY|database is locked/;
const ATTEMPTS = 6;

async function execute(
  where: readonly string[],
  env: NodeJS.ProcessEnv,
  command: string,
  binding: string,
  signal?: AbortSignal,
) {
  const args = ["d1", "execute", binding, "--json", "--yes", ...where, "--command", command];
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runWrangler(args, env, signal);
    } catch (error) {
      // Another of these commands has the same file open. Its writes are short, so a later attempt succeeds.
      const isBusy = error instanceof WranglerFailure && BUSY.test(error.output);
      if (!isBusy || attempt === ATTEMPTS) throw error;
      await sleep(200 * attempt, undefined, signal && { signal });
    }
  }
}

function wranglersDatabase(
  where: readonly string[],
  env: NodeJS.ProcessEnv,
  binding: string,
  signal?: AbortSignal,
): Database {
  return {
    run: async (statements) => {
      const output = await execute(where, env, statements.join(";\n"), binding, signal);
      const answer = Answer.safeParse(JSON.parse(output));
      if (!answer.success)
        throw new Failure(`Wrangler printed a result that this command cannot read:\n${output}`);
      return answer.data.map((statement) => statement.results);
    },
  };
}

/** The database that a running Worker of a local stack has open. */
export const servedDatabase = (api: OperatorApi, binding = FIRST_DATABASE): Database => ({
  run: async (statements) => {
    const request: SqlRequest = { database: binding, statements: [...statements] };
    return SqlAnswer.parse(await api.call("POST", SQL_PATH, request)).results;
  },
});

/** The D1 database of an existing local stack: a mistyped STATE_DIR must not look like an empty service. @throws Failure if there is none */
export async function openExistingDatabase(
  state: StateFolder,
  signal?: AbortSignal,
  binding = FIRST_DATABASE,
): Promise<Database> {
  if (!existsSync(state.data)) {
    throw new Failure(
      `There is no local stack in ${state.path}. Set STATE_DIR to its folder, or start one with npm start.`,
    );
  }
  return openLocalDatabase(state, signal, binding);
}

/** The file of a local stack's D1 database, created and migrated if needed. The stack must not run. */
export async function openDatabaseFile(
  state: StateFolder,
  binding: string,
  signal?: AbortSignal,
): Promise<Database> {
  await createStateFolder(state);
  await applyMigrations(state, signal);
  return wranglersDatabase(["--local", "--persist-to", state.data], stackMark(state), binding, signal);
}

/**
 * Opens the D1 database of a local stack: by its Worker if the stack runs, else the file.
 * @throws Failure while the stack is being started or stopped
 */
export async function openLocalDatabase(
  state: StateFolder,
  signal?: AbortSignal,
  binding = FIRST_DATABASE,
): Promise<Database> {
  await createStateFolder(state);
  return isFolderLocked(state)
    ? servedDatabase(await openLocalOperatorApi(state, signal), binding)
    : openDatabaseFile(state, binding, signal);
}

/** Opens the deployed database of a configuration, with Wrangler's login. */
export async function openRemoteDatabase(
  configFile: string,
  signal: AbortSignal,
  binding = FIRST_DATABASE,
): Promise<Database> {
  const { path } = await readConfiguration(configFile);
  return wranglersDatabase(["--remote", "--config", path], {}, binding, signal);
}

/** Reads objects with Wrangler. */
const wranglersObjects =
  (bucket: string, where: readonly string[], env: NodeJS.ProcessEnv, signal?: AbortSignal): ReadObject =>
  async (key) => {
    try {
      return await runWrangler(["r2", "object", "get", `${bucket}/${key}`, "--pipe", ...where], env, signal);
    } catch (error) {
      if (error instanceof WranglerFailure && /does not exist/.test(error.output)) return null;
      throw error;
    }
  };

/** Reads objects of the local stack's bucket, or, with a configuration, of the deployed one with Wrangler's login. */
export async function openBucket(configFile: string | null, signal?: AbortSignal): Promise<ReadObject> {
  if (configFile !== null) {
    const { bucket, path } = await remoteBucket(configFile);
    return wranglersObjects(bucket, ["--remote", "--config", path], {}, signal);
  }
  const { bucket } = await readLocalStorage();
  const state = stateFolder(process.env["STATE_DIR"]);
  if (!isFolderLocked(state)) {
    return wranglersObjects(bucket, ["--local", "--persist-to", state.data], stackMark(state), signal);
  }
  const api = await openLocalOperatorApi(state, signal);
  return async (key) => ObjectAnswer.parse(await api.call("POST", OBJECT_PATH, { key })).text;
}

async function remoteBucket(configFile: string): Promise<{ bucket: string; path: string }> {
  const { r2_buckets: buckets, path } = await readConfiguration(configFile);
  const media = buckets.find(({ binding }) => binding === "MEDIA");
  if (media === undefined) throw new Failure(`${path} has no bucket with the binding MEDIA.`);
  return { bucket: media.bucket_name, path };
}
