import { createServer } from "node:http";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getRequestListener } from "@hono/node-server";
import { parse } from "smol-toml";
import { z } from "zod";
import { ensureModel } from "../../../scripts/local/stack/model.ts";
import { startWorker } from "../../../scripts/local/stack/services.ts";
import { formatEnvFile } from "../../../scripts/local/stack/worker-values.ts";
import { effectiveFileOf } from "../../../scripts/shared/cloudflare/operator-file.ts";
import { readLocalStorage } from "../../../scripts/shared/cloudflare/wrangler-settings.ts";
import { servedDatabase } from "../../../scripts/shared/database/database.ts";
import { createAccount } from "../../../scripts/shared/database/accounts.ts";
import { operatorApiAt } from "../../../scripts/shared/database/operator-api.ts";
import { endMarked } from "../../../scripts/shared/marked-processes.ts";
import { listen } from "../../../scripts/shared/listen.ts";
import { claimPort } from "../../../scripts/shared/port.ts";
import { PROJECT_ROOT } from "../../../scripts/shared/root.ts";
import { writePrivateFile } from "../../../scripts/shared/state/private-file.ts";
import {
  createStateFolder,
  type StateFolder,
  stackMark,
  stateFolder,
} from "../../../scripts/shared/state/state-folder.ts";
import { machineHost } from "../worker/machines/machine-host.ts";
import type { DeployFolder } from "./half-configured.ts";
import { giveMigratedData } from "./migrated-data.ts";
import type { FakeAccount } from "./wrangler/account.ts";

const MAIN = join(PROJECT_ROOT, "test", "support", "served", "worker", "main.ts");
const { signal } = new AbortController();

/** The parts of a deployed configuration that a local Worker takes over; the rest belongs to the account. */
const Deployed = z.looseObject({
  vars: z.record(z.string(), z.coerce.string()),
  durable_objects: z.unknown(),
  migrations: z.unknown(),
});

const Clone = z.looseObject({ build: z.looseObject({}), assets: z.looseObject({ directory: z.string() }) });

/** A deployment that runs on this machine. */
export interface ServedDeployment {
  readonly baseUrl: string;
  readonly state: StateFolder;
  /** The key of a paid account. */
  readonly apiKey: string;
  readonly stop: () => Promise<void>;
}

/**
 * Runs the deployment: the Worker with the written configuration and the stored secrets, and its containers as processes of the
 * real inference service. Only the addresses, the database and the bucket are of this machine.
 */
export async function serveDeployment(
  { stored }: FakeAccount,
  folder: DeployFolder,
  image: string,
): Promise<ServedDeployment> {
  const state = stateFolder(join(folder.path, "state"));
  await giveMigratedData(state);
  await createStateFolder(state);
  const { vars, durable_objects, migrations } = Deployed.parse(
    JSON.parse(await readFile(effectiveFileOf(folder.config), "utf8")),
  );
  const clone = Clone.parse(parse(await readFile(join(PROJECT_ROOT, "wrangler.toml"), "utf8")));
  const build = { ...clone.build, cwd: PROJECT_ROOT };
  const assets = { ...clone.assets, directory: join(PROJECT_ROOT, clone.assets.directory) };
  const config = join(folder.path, "served.json");
  await writeFile(config, JSON.stringify({ ...clone, build, assets, durable_objects, migrations }));

  const model = await ensureModel(stackMark(state), signal);
  const answer = getRequestListener(machineHost(model, stackMark(state)));
  const host = createServer({ requestTimeout: 0 }, (request, response) => void answer(request, response));
  const [port, machines, storage] = [await claimPort(0), await listen(host), await readLocalStorage()];
  const baseUrl = `http://127.0.0.1:${port}`;
  const values = {
    ...vars,
    ...stored,
    CONTAINER_IMAGE: image,
    PUBLIC_URL: baseUrl,
    S3_ENDPOINT: `${baseUrl}/cdn-cgi/local/r2/s3`,
    S3_ACCESS_KEY_ID: storage.accessKeyId,
    S3_SECRET_ACCESS_KEY: storage.secretAccessKey,
    MACHINES: machines,
    ALLOW_LOCAL_URLS: "true",
    LOCAL_STACK: "yes",
  };
  await writePrivateFile(state.workerEnvironment, formatEnvFile(values));
  await writePrivateFile(state.secrets, JSON.stringify(stored));
  const worker = await startWorker({
    state,
    port,
    baseUrl,
    main: MAIN,
    config,
    onLine: () => undefined,
    signal,
  });
  const database = servedDatabase(operatorApiAt(baseUrl, stored["OPERATOR_TOKEN"] ?? "", signal));
  const { secret: apiKey } = await createAccount(database, {
    email: "operator@example.com",
    name: null,
    plan: "paid",
    keyLabel: "verify",
  });
  await writePrivateFile(state.ready, JSON.stringify({ baseUrl, apiKey, inferenceUrl: machines }));
  return {
    baseUrl,
    state,
    apiKey,
    stop: async () => {
      await worker.stop(2_000);
      host.close();
      host.closeAllConnections();
      await endMarked(stackMark(state));
    },
  };
}
