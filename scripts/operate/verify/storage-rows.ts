import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { PROJECT_ROOT } from "../../shared/root.ts";
import { LeftOut, type Row, Wrong } from "./row.ts";
import { seconds, within, type World } from "./world.ts";

const TYPE = "image/png";

/** A picture of the project, whose features a test run has at hand. */
export const picture = async (): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await readFile(join(PROJECT_ROOT, "samples", "chelsea.png")));

/** Gets a signed PUT; `size` is signed too if the service signs sizes. */
async function place({ client, made, signal }: World, size?: number) {
  const input = { contentType: TYPE, ...(size !== undefined && { size }) };
  signal.throwIfAborted();
  const answer = await client.api.createUploadPresign(input);
  made.uploads.add(answer.taskId);
  return answer;
}

async function put(
  url: string,
  body: Uint8Array<ArrayBuffer>,
  type: string,
  signal: AbortSignal,
): Promise<number> {
  const response = await fetch(url, { method: "PUT", headers: { "content-type": type }, body, signal });
  await response.body?.cancel();
  return response.status;
}

/** A row's expectation of storage: that it refuses. */
function refused(status: number, what: string): string {
  if (status !== 403) throw new Wrong(`storage answers ${status} to ${what}, and not 403`);
  return `403 for ${what}`;
}

const KEYS =
  "see that S3_ENDPOINT is R2's own, without a proxy or cache before it, and that S3_ACCESS_KEY_ID belongs to the bucket's account";

const MARGIN_MS = 5_000;

/** Rows about the bucket: refusals of its signed URLs, the pages that may use them, and the queue of its events. */
export const STORAGE_ROWS: readonly Row[] = [
  {
    name: "signed PUT of another type",
    mend: KEYS,
    run: async (world) => {
      const { uploadUrl } = await place(world);
      return refused(
        await put(uploadUrl, await picture(), "text/html", world.signal),
        "another content type",
      );
    },
  },
  {
    name: "signed PUT of another length",
    mend: KEYS,
    run: async (world) => {
      const body = await picture();
      const { uploadUrl } = await place(world, body.length);
      const signed = new URL(uploadUrl).searchParams.get("X-Amz-SignedHeaders")?.split(";") ?? [];
      if (!signed.includes("content-length"))
        throw new LeftOut("this version of the service signs no length");
      const saw = refused(await put(uploadUrl, body.slice(0, -1), TYPE, world.signal), "another length");
      const status = await put(uploadUrl, body, TYPE, world.signal);
      if (status !== 200) throw new Wrong(`storage answers ${status} to the length that was signed`);
      return saw;
    },
  },
  {
    name: "upload in parts",
    mend: KEYS,
    run: async ({ client, made, signal }) => {
      const body = await picture();
      const { taskId, parts } = await client.api.createMultipartUpload(
        { contentType: TYPE, size: body.length },
        { signal },
      );
      made.uploads.add(taskId);
      const [part] = parts;
      if (part === undefined) throw new Wrong("the service names no part");
      const { partNumber, uploadUrl } = part;
      const saw = refused(await put(uploadUrl, body.slice(0, -1), TYPE, signal), "a part of another length");
      const sent = await fetch(uploadUrl, { method: "PUT", body, signal });
      await sent.body?.cancel();
      if (!sent.ok) throw new Wrong(`storage answers ${sent.status} to a part`);
      const etag = sent.headers.get("etag") ?? "";
      await client.api.completeMultipartUpload({ taskId, parts: [{ partNumber, etag }] }, { signal });
      return saw;
    },
  },
  {
    name: "CORS of the bucket",
    mend: "npm run deploy -- --create sets the rule for the studio; for other pages, docs/operations/deploy.md#browsers has the file",
    run: async (world) => {
      const { uploadUrl } = await place(world);
      const origin = new URL(world.baseUrl).origin;
      if (new URL(uploadUrl).origin === origin)
        throw new LeftOut("storage has the service's own origin, as on a local stack");
      const ask = {
        "access-control-request-method": "PUT",
        "access-control-request-headers": "content-type",
      };
      const response = await fetch(uploadUrl, {
        method: "OPTIONS",
        headers: { origin, ...ask },
        signal: world.signal,
      });
      await response.body?.cancel();
      const allowed = response.headers.get("access-control-allow-origin");
      if (!response.ok || (allowed !== origin && allowed !== "*"))
        throw new Wrong(
          `pages of ${origin} may not upload: the preflight answers ${response.status}, allowing ${allowed ?? "no origin"}`,
        );
      return `pages of ${origin} may upload`;
    },
  },
  {
    name: "events of the bucket",
    mend: "npm run deploy -- --create lets the bucket report uploads to its queue; see that the queue has this Worker as consumer",
    run: async (world) => {
      const { database, eventQueue, form, signal } = world;
      if (eventQueue === null) throw new LeftOut("wrangler.toml has no queue that only the bucket fills");
      if ("reason" in database) throw new LeftOut(`the database cannot be asked: ${database.reason}`);
      const { uploadUrl, taskId } = await place(world);
      const status = await put(uploadUrl, await picture(), TYPE, signal);
      if (status !== 200) throw new Wrong(`storage answers ${status} to a good upload`);
      const begun = Date.now();
      // A taskId is the service's own and has no quotes in it.
      const sql = `SELECT size FROM uploads WHERE task_id = '${taskId.replaceAll("'", "''")}' AND size IS NOT NULL`;
      const known = await within(
        form.patienceMs / 4,
        async () => (await database.run([sql]))[0]?.[0]?.["size"] ?? null,
        signal,
      );
      if (known === null)
        throw new Wrong(
          `${eventQueue} brought no report of an upload within ${seconds(form.patienceMs / 4)}`,
        );
      return `the size was known ${seconds(Date.now() - begun)} after the upload`;
    },
  },
  {
    name: "late PUT",
    mend: KEYS,
    run: async (world) => {
      const { uploadUrl, expiresIn } = await place(world);
      const longer = new URL(uploadUrl);
      longer.searchParams.set("X-Amz-Expires", "604800");
      refused(
        await put(longer.href, await picture(), TYPE, world.signal),
        "a URL with a longer life than was signed",
      );
      if (world.local !== null) {
        const expired = await world.local.expiredPut(uploadUrl, TYPE);
        return refused(await put(expired, await picture(), TYPE, world.signal), "a URL whose second is over");
      }
      await sleep(expiresIn * 1_000 + MARGIN_MS, undefined, { signal: world.signal });
      return refused(
        await put(uploadUrl, await picture(), TYPE, world.signal),
        `a URL that was good for ${expiresIn} s, ${MARGIN_MS / 1_000} s later`,
      );
    },
  },
];
