import { beforeEach, describe, expect, it } from "vitest";
import { SharedInputs, ShareList } from "../../../../src/shares/contract/share.ts";
import { inputKey } from "../../../../src/shared/bucket/object-keys.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { successfulJob } from "../../../support/worker/fixtures/archives.ts";
import { home } from "../../../support/worker/runtime/databases.ts";
import { shareJob, visit } from "../../../support/worker/fixtures/shares.ts";
import { later } from "../../../support/worker/runtime/time.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

let client: Client;
let jobId: string;
let tasks: string[];
beforeEach(async () => {
  client = await newClient();
  ({ jobId, tasks } = await successfulJob(client, 2));
});

const list = async () => ShareList.parse((await client.send("GET", "/v1/shares")).body).items;
const retrieve = () => client.send("GET", `/v1/jobs/${jobId}/share`);
const revoke = () => client.send("DELETE", `/v1/jobs/${jobId}/share`);

describe("listShares 200", () => {
  it("lists shared results, newest first, without tokens, ended links and deleted jobs [A23-8]", async () => {
    expect(await list()).toEqual([]);
    const first = await shareJob(client, jobId, { expiresIn: 60 });
    later(1_000);
    const other = await successfulJob(client);
    const second = await shareJob(client, other.jobId, { showInputs: true });
    expect(await list()).toEqual([second.share, first.share]);
    await client.send("DELETE", `/v1/jobs/${other.jobId}`);
    expect(await list()).toEqual([first.share]);
    later(60_000);
    expect(await list()).toEqual([]);
  });
});

describe("retrieveShare 200", () => {
  it("tells the account and the bearer of the link the same: its end, and the uploads with signed URLs [A23-5]", async () => {
    const { share, token } = await shareJob(client, jobId, { showInputs: true });
    const seen = await visit(token, `/v1/jobs/${jobId}/share`);
    expect(seen.status).toBe(200);
    for (const { body } of [seen, await retrieve()]) {
      const { share: said, inputs } = SharedInputs.parse(body);
      expect(said).toEqual(share);
      expect(inputs.map(({ taskId }) => taskId)).toEqual(tasks);
      for (const { taskId, url, expiresIn } of inputs) {
        const { pathname, searchParams } = new URL(url);
        expect(pathname).toContain(inputKey(client.accountId, taskId));
        expect(searchParams.get("X-Amz-Expires")).toBe(String(expiresIn));
      }
    }
  });

  it("shows uploads only on request, and no deleted ones [A23-5]", async () => {
    await shareJob(client, jobId);
    expect((await retrieve()).body).toMatchObject({ share: { showInputs: false }, inputs: [] });
    await shareJob(client, jobId, { showInputs: true });
    expect((await client.send("DELETE", `/v1/uploads/${tasks[0]}`)).status).toBe(204);
    const { body } = await retrieve();
    expect(body.inputs.map((input: { taskId: string }) => input.taskId)).toEqual([tasks[1]]);
  });
});

describe("retrieveShare 404", () => {
  it("answers for an unshared job, and for one with an ended link [A23-8]", async () => {
    expectError(await retrieve(), 404, "share_not_found");
    await shareJob(client, jobId, { expiresIn: 60 });
    later(60_000);
    expectError(await retrieve(), 404, "share_not_found");
  });
});

describe("revokeShare 204", () => {
  it("ends the link with its very next use, and nothing else [A23-3]", async () => {
    const other = await successfulJob(client);
    const { token } = await shareJob(client, jobId);
    const kept = await shareJob(client, other.jobId);
    expect((await visit(token, `/v1/jobs/${jobId}`)).status).toBe(200);
    expect((await revoke()).status).toBe(204);
    expectError(await visit(token, `/v1/jobs/${jobId}`), 401, "Unauthorized");
    expect((await visit(kept.token, `/v1/jobs/${other.jobId}`)).status).toBe(200);
    expect((await client.send("GET", `/v1/jobs/${jobId}/result`)).status).toBe(200);
    const rows = await home.DB.prepare("SELECT count(*) AS n FROM shares").first("n");
    expect(rows).toBe(1);
  });
});

describe("revokeShare 404", () => {
  it("answers for a job that is not shared, or no longer [A23-8]", async () => {
    expectError(await revoke(), 404, "share_not_found");
    await shareJob(client, jobId);
    expect((await revoke()).status).toBe(204);
    expectError(await revoke(), 404, "share_not_found");
  });
});
