import { servedDatabase } from "../../shared/database/database.ts";
import { operatorApiAt } from "../../shared/database/operator-api.ts";
import type { Failure } from "../../shared/command-line.ts";
import type { Child } from "../../shared/child.ts";
import { developmentAccount } from "./development-account.ts";
import { type HeldFolder, holdFolder } from "../../shared/state/folder-lock.ts";
import { applyMigrations } from "../../shared/cloudflare/migrations.ts";
import { ensureModel } from "./model.ts";
import { claimPort } from "../../shared/port.ts";
import { writePrivateFile } from "../../shared/state/private-file.ts";
import { unwritable } from "../../shared/state/unwritable.ts";
import { loadSecrets } from "../../shared/state/secrets.ts";
import { startInference, waitForModel, waitForRemoteService, startWorker } from "./services.ts";
import { type StackSettings, readSettings } from "../../shared/state/settings.ts";
import { type Fake, type Fakes, startFakes } from "./fakes.ts";
import {
  type StackAddress,
  type StateFolder,
  stackMark,
  stateFolder,
} from "../../shared/state/state-folder.ts";
import { formatEnvFile, inferenceToken, withoutRemoteService, workerValues } from "./worker-values.ts";
import { readLocalStorage } from "../../shared/cloudflare/wrangler-settings.ts";

type Part = "worker" | "inference" | Fake;

export interface StackOptions {
  /** The Worker's port; 0 for any free one. */
  readonly port: number;
  /** The state folder, relative to the project's folder; `.local` by default. */
  readonly stateDir?: string | undefined;
  /** Settings of the Worker that override `.dev.vars` and the environment. */
  readonly settings?: StackSettings;
  /** The model folder to serve, by a service of this stack regardless of the settings; see `ensureModel` for the default. */
  readonly modelFolder?: string;
  /** True to start fakes for the identity provider and Stripe, unless the settings name real ones. */
  readonly fakes?: boolean;
  /** Replacements for the product's scripts, from the project's folder: a test puts its fault shims there. */
  readonly mains?: { readonly worker?: string | undefined; readonly inference?: string | undefined };
  readonly onProgress: (sentence: string) => void;
  /** Called with the lines that the parts print while the stack is up. */
  readonly onLine?: (part: Part, line: string) => void;
  /** Aborts a start in progress. */
  readonly signal: AbortSignal;
}

export interface Stack extends StackAddress {
  /** Resolves with a failure if a part ends unexpectedly; never if the stack is stopped. */
  readonly crashed: Promise<Failure>;
  /** Ends every process of the stack and releases the state folder. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts the whole service on this machine: inference service, database, Worker, a development account. Rejects with a `Failure`
 * that names the remedy, or with the signal's reason, and then leaves nothing running.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const state = stateFolder(options.stateDir);
  const folder = await holdFolder(state);
  try {
    return await assemble(options, state, folder);
  } catch (error) {
    await folder.release();
    options.signal.throwIfAborted();
    throw unwritable(error, state.path);
  }
}

/** Starts the parts in the order of their dependencies. `folder` ends them if one fails. */
async function assemble(options: StackOptions, state: StateFolder, folder: HeldFolder): Promise<Stack> {
  const { onProgress, signal } = options;
  if (folder.strays > 0) onProgress(`Ended processes that an earlier stack left behind: ${folder.strays}.`);
  const port = await claimPort(options.port);
  const baseUrl = `http://127.0.0.1:${port}`;
  const [secrets, storage] = await Promise.all([loadSecrets(state), readLocalStorage()]);
  const settings = { ...(await readSettings()), ...options.settings };
  const given = options.modelFolder === undefined ? settings : withoutRemoteService(settings);
  const token = inferenceToken(given, secrets);

  let isUp = false;
  const children: Child[] = [];
  const adopt = (child: Child): void => {
    children.push(child);
    folder.add(child);
  };
  const listener = (part: Part) => (line: string) => {
    if (isUp) options.onLine?.(part, line);
  };

  const startService = async (): Promise<{ url: string; ready: Promise<void> }> => {
    const remote = given["INFERENCE_URL"];
    if (remote !== undefined) return { url: remote, ready: waitForRemoteService(remote, token, signal) };
    const modelFolder = options.modelFolder ?? (await ensureModel(stackMark(state), signal));
    onProgress("Starting the inference service and warming up its model…");
    const onLine = listener("inference");
    const { child, url } = await startInference({
      mark: stackMark(state),
      logs: state.logs,
      // A person at the terminal needs to see progress.
      settings: { HEARTBEAT_SECONDS: process.env["HEARTBEAT_SECONDS"] ?? "2" },
      token,
      modelFolder,
      main: options.mains?.inference,
      origin: baseUrl,
      onLine,
      signal,
    });
    adopt(child);
    return { url, ready: waitForModel(child, url, signal) };
  };
  const prepareFakes = async (): Promise<Fakes> =>
    options.fakes === true
      ? await startFakes({ state, baseUrl, given, secrets, adopt, listener, signal })
      : { values: {}, addresses: {} };
  // Wait for all of them: a part that starts late must not outlive a failed start.
  const [service, migrations, fakes] = await Promise.allSettled([
    startService().then((started) => {
      // It is awaited after the other parts; if it fails before that, Node must not end the process for an unhandled rejection.
      started.ready.catch(() => undefined);
      return started;
    }),
    applyMigrations(state, signal),
    prepareFakes(),
  ]);
  if (service.status === "rejected") throw service.reason;
  const { url: inferenceUrl, ready } = service.value;
  if (migrations.status === "rejected") throw migrations.reason;
  if (fakes.status === "rejected") throw fakes.reason;

  const values = workerValues(baseUrl, inferenceUrl, storage, secrets, {
    ...fakes.value.values,
    ...given,
  });
  await writePrivateFile(state.workerEnvironment, formatEnvFile(values));
  onProgress("Starting the Worker…");
  const main = options.mains?.worker;
  adopt(await startWorker({ state, port, baseUrl, main, onLine: listener("worker"), signal }));
  const operatorToken = given["OPERATOR_TOKEN"] ?? secrets.OPERATOR_TOKEN;
  const database = servedDatabase(operatorApiAt(baseUrl, operatorToken, signal));
  const { apiKey } = await developmentAccount(state, database);
  await ready;
  signal.throwIfAborted();

  const address: StackAddress = {
    baseUrl,
    apiKey,
    inferenceUrl,
    ...fakes.value.addresses,
  };
  await writePrivateFile(state.ready, `${JSON.stringify(address)}\n`);
  isUp = true;
  const crashed = Promise.withResolvers<Failure>();
  for (const child of children) {
    void child.ended.then((why) =>
      isUp && !signal.aborted ? crashed.resolve(child.failure(`ended unexpectedly (${why})`)) : undefined,
    );
  }
  const stop = async (): Promise<void> => {
    isUp = false;
    await folder.release();
  };
  return { ...address, crashed: crashed.promise, stop };
}
