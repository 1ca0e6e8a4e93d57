import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { Failure } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

const WranglerFile = z.object({
  r2_buckets: z
    .array(
      z.object({
        bucket_name: z.string(),
        local_dev: z.object({
          experimental_s3_credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
        }),
      }),
    )
    .length(1),
});

/** The bucket and the credentials that Wrangler's local S3 endpoint checks signatures against. */
export interface LocalStorage {
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Reads them from wrangler.toml, where Wrangler itself takes them from. */
export async function readLocalStorage(): Promise<LocalStorage> {
  const text = await readFile(join(PROJECT_ROOT, "wrangler.toml"), "utf8");
  const file = WranglerFile.safeParse(parse(text));
  const [media] = file.data?.r2_buckets ?? [];
  if (!media)
    throw new Failure("wrangler.toml must name one [[r2_buckets]] with its local_dev S3 credentials.");
  return { bucket: media.bucket_name, ...media.local_dev.experimental_s3_credentials };
}
