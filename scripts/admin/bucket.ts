import { stackMark, stateFolder } from "../stack/state-folder.ts";
import { runWrangler, WranglerFailure } from "../stack/wrangler.ts";
import { readLocalStorage } from "../stack/wrangler-settings.ts";
import { readConfiguration } from "../deploy/configuration.ts";
import { Failure } from "../shared/command-line.ts";
import type { ReadObject } from "./closed-books.ts";

/** Reads objects of the local stack's bucket, or, given its configuration, of the deployed one with Wrangler's login. */
export async function openBucket(configFile: string | null, signal?: AbortSignal): Promise<ReadObject> {
  const bucket = await bucketName(configFile);
  const state = stateFolder(process.env["STATE_DIR"]);
  const where =
    configFile === null ? ["--local", "--persist-to", state.data] : ["--remote", "--config", configFile];
  return async (key) => {
    try {
      const args = ["r2", "object", "get", `${bucket}/${key}`, "--pipe", ...where];
      return await runWrangler(args, configFile === null ? stackMark(state) : {}, signal);
    } catch (error) {
      if (error instanceof WranglerFailure && /does not exist/.test(error.output)) return null;
      throw error;
    }
  };
}

async function bucketName(configFile: string | null): Promise<string> {
  if (configFile === null) return (await readLocalStorage()).bucket;
  const { r2_buckets: buckets, path } = await readConfiguration(configFile);
  const media = buckets.find(({ binding }) => binding === "MEDIA");
  if (media === undefined) throw new Failure(`${path} has no bucket with the binding MEDIA.`);
  return media.bucket_name;
}
