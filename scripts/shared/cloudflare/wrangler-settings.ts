import { DEFAULT_CONFIG, readConfiguration } from "./configuration.ts";
import { Failure } from "../command-line.ts";

/** The bucket and the credentials that Wrangler's local S3 endpoint checks signatures against. */
export interface LocalStorage {
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Reads bucket and credentials from wrangler.toml, as Wrangler does. */
export async function readLocalStorage(): Promise<LocalStorage> {
  const { r2_buckets: buckets } = await readConfiguration(DEFAULT_CONFIG, { operator: false });
  const [{ bucket_name: bucket, local_dev: local } = {}] = buckets;
  if (bucket === undefined || local === undefined)
    throw new Failure("wrangler.toml must have a [[r2_buckets]] with S3 credentials in local_dev.");
  return { bucket, ...local.experimental_s3_credentials };
}
