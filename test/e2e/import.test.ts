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

describe("an import on the whole stack", () => {
  let stack: SharedStack;
  let source: FileServer;
  let accountId: string;
  beforeAll(async () => {
    stack = await useSharedStack();
    source = await startFileServer({
      "/large": (response) => response.writeHead(200, { "content-length": TEN_MEGA.length }).end(TEN_MEGA),
      "/coded": (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(TEN_MEGA)),
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

  it("leaves nothing of a source that breaks off [A6-7]", async () => {
    const response = await importFrom("/breaks-off");
    expect(ErrorObject.parse(await response.json()).error).toBe("import_failed");
    expect({ inputs: await inputs(), records: await records() }).toEqual({ inputs: [], records: [] });
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
