import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "smol-toml";
import { z } from "zod";
import { Failure } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";

const WranglerFile = z.object({
  r2_buckets: z.tuple([
    z.object({
      bucket_name: z.string(),
      local_dev: z.object({
        experimental_s3_credentials: z.object({ accessKeyId: z.string(), secretAccessKey: z.string() }),
      }),
    }),
  ]),
  triggers: z.object({ crons: z.array(z.string()) }),
});

async function readWranglerFile(): Promise<z.infer<typeof WranglerFile>> {
  const text = await readFile(join(PROJECT_ROOT, "wrangler.toml"), "utf8");
  const file = WranglerFile.safeParse(parse(text));
  if (file.success) return file.data;
  throw new Failure(
    "wrangler.toml must have crons, and exactly one [[r2_buckets]] with S3 credentials in local_dev.",
  );
}

/** The bucket and the credentials that Wrangler's local S3 endpoint checks signatures against. */
export interface LocalStorage {
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Reads bucket and credentials from wrangler.toml, as Wrangler does. */
export async function readLocalStorage(): Promise<LocalStorage> {
  const [media] = (await readWranglerFile()).r2_buckets;
  return { bucket: media.bucket_name, ...media.local_dev.experimental_s3_credentials };
}

/** The cron triggers in wrangler.toml. */
export async function readCrons(): Promise<readonly string[]> {
  return (await readWranglerFile()).triggers.crons;
}
