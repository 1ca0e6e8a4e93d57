import { AwsClient } from "aws4fetch";
import { SegmentationClient } from "segmentation-client/node";
import { DEFAULT_CONFIG, eventQueues, readConfiguration } from "../../shared/cloudflare/configuration.ts";
import { openLocalOperatorApi, openRemoteOperatorApi } from "../../shared/database/operator-api.ts";
import { messageOf } from "../../shared/error-parts.ts";
import type { StateFolder } from "../../shared/state/state-folder.ts";
import { readLocalStorage } from "../../shared/cloudflare/wrangler-settings.ts";
import { localDatabases, remoteDatabases } from "./database.ts";
import { Made } from "./made.ts";
import { OwnServer } from "./own-server.ts";
import type { Outcome } from "./row.ts";
import { verifyRows } from "./run.ts";
import { type Form, LOCAL_FORM, type Local, type Named, REMOTE_FORM, type World } from "./world.ts";

/** A service to verify. */
export interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The stack's folder, if it is one of this machine. */
  readonly state: StateFolder | null;
  readonly named?: Named;
  readonly config?: string;
  readonly form?: Partial<Form>;
  readonly only?: readonly string[] | undefined;
  readonly onRow?: (outcome: Outcome) => void;
}

/** A PUT to the place of a signed one, signed with the local storage's credentials for a second that is over. */
async function expiredPut(uploadUrl: string, contentType: string): Promise<string> {
  const storage = await readLocalStorage();
  const { accessKeyId, secretAccessKey } = storage;
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: "s3", region: "auto" });
  const url = new URL(uploadUrl);
  url.search = "?X-Amz-Expires=1";
  const datetime = new Date(Date.now() - 60_000).toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
  const aws = { signQuery: true, allHeaders: true, datetime };
  return (await client.sign(url, { method: "PUT", headers: { "content-type": contentType }, aws })).url;
}

/** The operator's API of a service; or why it cannot be asked, as without OPERATOR_TOKEN. */
async function operatorOf(
  { state, config = DEFAULT_CONFIG }: Target,
  baseUrl: string,
  signal: AbortSignal,
): Promise<World["operator"]> {
  try {
    if (state !== null) return await openLocalOperatorApi(state, signal);
    const { vars, file } = await readConfiguration(config);
    if (String(vars["PUBLIC_URL"]).replace(/\/+$/, "") === baseUrl)
      return await openRemoteOperatorApi(config, signal);
    return {
      reason: `PUBLIC_URL in ${file} is another service's: name the configuration of this one, --config`,
    };
  } catch (error) {
    signal.throwIfAborted();
    return { reason: messageOf(error) };
  }
}

/** Verifies a service. @throws the signal's reason, once everything is deleted */
export async function verifyService(target: Target, signal: AbortSignal): Promise<readonly Outcome[]> {
  const { state, apiKey, named = {}, config = DEFAULT_CONFIG, only, onRow = () => {} } = target;
  const baseUrl = target.baseUrl.replace(/\/+$/, "");
  const server = state === null ? null : await OwnServer.start();
  try {
    const local: Local | null = state === null || server === null ? null : { state, server, expiredPut };
    const [eventQueue = null] = eventQueues(await readConfiguration(config, { operator: state === null }));
    const world: World = {
      baseUrl,
      apiKey,
      client: new SegmentationClient({ baseUrl, apiKey }),
      signal,
      form: { ...(state === null ? REMOTE_FORM : LOCAL_FORM), ...target.form },
      named,
      local,
      database:
        state === null ? await remoteDatabases(config, baseUrl, signal) : await localDatabases(state, signal),
      operator: await operatorOf(target, baseUrl, signal),
      eventQueue,
      made: new Made(),
      learned: {},
    };
    return await verifyRows(world, only === undefined ? null : new Set(only), onRow);
  } finally {
    await server?.stop();
  }
}
