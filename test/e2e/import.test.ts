import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stateFolder } from "../../scripts/shared/state/state-folder.ts";
import { createClient } from "../../scripts/shared/api-client.ts";
import { Account } from "../../src/accounts/contract/account.ts";
import { ErrorObject } from "../../src/shared/api/error.ts";
import { ImportedUpload } from "../../src/uploads/contract/upload.ts";
import { type FileServer, startFileServer } from "../support/network/file-server.ts";
import { inputsInBucket, queryDatabase } from "../support/stack/local-database.ts";
import { sample } from "../support/media/sample.ts";
import { type SharedStack, useSharedStack } from "../support/stack/shared-stack.ts";

const PICTURE = sample("chelsea");
const MEGA = 1_000_000;
/** The picture and zeros behind its end, which change nothing: more than a part of an object that is written in parts. */
const TEN_MEGA = Buffer.concat([PICTURE], 10 * MEGA);

/** A picture that never ends; no piece of it is made before it is sent. */
function* endless(): Generator<Buffer> {
  for (;;) yield TEN_MEGA.subarray(0, 65_536);
}

describe("an import on the whole stack", () => {
  let stack: SharedStack;
  let source: FileServer;
  let accountId: string;
  beforeAll(async () => {
    stack = await useSharedStack();
    source = await startFileServer({
      "/sized": (response) => response.writeHead(200, { "content-length": PICTURE.length }).end(PICTURE),
      "/large": (response) => response.writeHead(200, { "content-length": TEN_MEGA.length }).end(TEN_MEGA),
      "/coded": (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(TEN_MEGA)),
      "/moved": (response) => response.writeHead(302, { location: "/sized" }).end(),
      "/inside": (response) => response.writeHead(302, { location: "https://10.0.0.1/picture.png" }).end(),
      "/page": (response) => response.writeHead(200, { "content-type": "image/png" }).end("<!doctype html>"),
      "/endless": (response) => void Readable.from(endless()).pipe(response),
      "/promises-more": (response) => {
        response.writeHead(200, { "content-length": 2 * TEN_MEGA.length });
        response.write(TEN_MEGA, () => response.destroy());
      },
      "/breaks-off": (response) => {
        response.write(TEN_MEGA, () => response.destroy());
      },
    });
    const account = await fetch(`${stack.baseUrl}/v1/account`, { headers: bearer() });
    ({ accountId } = Account.parse(await account.json()));
  });
  afterAll(() => source.close());

  const bearer = () => ({ authorization: `Bearer ${stack.apiKey}` });
  const importFrom = (path: string): Promise<Response> =>
    fetch(`${stack.baseUrl}/v1/uploads/import`, {
      method: "POST",
      headers: { ...bearer(), "content-type": "application/json" },
      body: JSON.stringify({ url: source.url(path) }),
    });
  const inputs = (): Promise<unknown[]> => inputsInBucket(stateFolder(stack.stateDir).data, accountId);
  const records = async (): Promise<unknown[]> =>
    queryDatabase(
      stateFolder(stack.stateDir).data,
      `SELECT task_id FROM uploads WHERE account_id = '${accountId}'`,
    );

  it.each([
    ["breaks off", "/breaks-off", "import_failed"],
    ["promises more than it sends", "/promises-more", "import_failed"],
    ["never ends", "/endless", "upload_too_large"],
    ["sends a page", "/page", "import_type_unsupported"],
    ["does not have it", "/absent", "import_failed"],
  ])("leaves nothing of a source that %s [A6-7]", async (_, path, error) => {
    const response = await importFrom(path);
    expect(ErrorObject.parse(await response.json()).error).toBe(error);
    expect({ inputs: await inputs(), records: await records() }).toEqual({ inputs: [], records: [] });
  });

  it("follows a redirect, except to forbidden addresses [A6-3]", async () => {
    expect((await importFrom("/moved")).status).toBe(201);
    const refused = await importFrom("/inside");
    expect([refused.status, ErrorObject.parse(await refused.json()).error]).toEqual([400, "url_forbidden"]);
  });

  it("streams the source into the bucket, and a job accepts it [A6-1]", async () => {
    const tasks: string[] = [];
    for (const path of ["/large", "/coded"]) {
      const response = await importFrom(path);
      const { taskId, ...rest } = ImportedUpload.parse(await response.json());
      expect(rest, path).toEqual({ contentType: "image/png", size: TEN_MEGA.length });
      tasks.push(taskId);
    }
    const client = createClient(stack);
    const { jobId } = await client.createImageJob({ tasks, prompts: ["cat"] });
    const job = await client.waitForJob(jobId);
    expect(job.tasks.map(({ status }) => status)).toEqual(["success", "success"]);
  });
});
