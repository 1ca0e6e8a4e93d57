import { isFolderLocked } from "../stack/folder-lock.ts";
import { stackMark, stateFolder } from "../stack/state-folder.ts";
import { OBJECT_PATH, ObjectAnswer } from "../stack/storage-calls.ts";
import { runWrangler, WranglerFailure } from "../stack/wrangler.ts";
import { readLocalStorage } from "../stack/wrangler-settings.ts";
import { readConfiguration } from "../deploy/configuration.ts";
import { Failure } from "../shared/command-line.ts";
import type { ReadObject } from "./closed-books.ts";
import { openLocalOperatorApi } from "./operator-api.ts";

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

/** Reads objects of the local stack's bucket, or, given its configuration, of the deployed one with Wrangler's login. */
export async function openBucket(configFile: string | null, signal?: AbortSignal): Promise<ReadObject> {
  const bucket = await bucketName(configFile);
  if (configFile !== null) return wranglersObjects(bucket, ["--remote", "--config", configFile], {}, signal);
  const state = stateFolder(process.env["STATE_DIR"]);
  if (!isFolderLocked(state)) {
    return wranglersObjects(bucket, ["--local", "--persist-to", state.data], stackMark(state), signal);
  }
  const api = await openLocalOperatorApi(state, signal);
  return async (key) => ObjectAnswer.parse(await api.call("POST", OBJECT_PATH, { key })).text;
}

async function bucketName(configFile: string | null): Promise<string> {
  if (configFile === null) return (await readLocalStorage()).bucket;
  const { r2_buckets: buckets, path } = await readConfiguration(configFile);
  const media = buckets.find(({ binding }) => binding === "MEDIA");
  if (media === undefined) throw new Failure(`${path} has no bucket with the binding MEDIA.`);
  return media.bucket_name;
}
