import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Buckets } from "../../src/cli/bucket/bucket.ts";

const KEYS = { accessKeyId: "AKIA0USER", secretAccessKey: "secret/of+the=user" };
const NAME = "pictures";

/** Starts a server of S3's interface that checks signatures, in a separate process, with one bucket in a folder. */
export async function serveBucket(folder: string) {
  const options = JSON.stringify({ name: NAME, keys: KEYS, folder });
  const server = fork(join(import.meta.dirname, "bucket-server.ts"), [options], { stdio: "inherit" });
  const [endpoint] = await once(server, "message");
  const env = {
    AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
    AWS_ENDPOINT_URL_S3: String(endpoint),
  };
  const buckets = new Buckets(env);
  const { signal } = new AbortController();
  return {
    url: `s3://${NAME}/`,
    env,
    put: (key: string, content: string | Uint8Array<ArrayBuffer>) =>
      buckets.put(NAME, key, new Blob([content]), signal),
    /** The keys below a prefix, in their order. */
    async keys(prefix = ""): Promise<string[]> {
      const found: string[] = [];
      for await (const { key } of buckets.list({ bucket: NAME, prefix })) found.push(key);
      return found;
    },
    /** Content of an object. */
    async read(key: string): Promise<string> {
      return await (await fetch(await buckets.signedUrl(NAME, key))).text();
    },
    async close(): Promise<void> {
      const ended = once(server, "exit");
      server.disconnect();
      await ended;
    },
  };
}
