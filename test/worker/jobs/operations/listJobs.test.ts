import { beforeEach, describe, expect, it } from "vitest";
import { JobList } from "../../../../src/jobs/contract/job.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { failure, finishJob, FakeInference } from "../../../support/worker/fakes/inference.ts";
import { MP4, newJob, uploaded, videoJob } from "../../../support/worker/fixtures/jobs.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

describe("listJobs 200", () => {
  const list = async (query = "") => {
    const { status, body } = await client.send("GET", `/v1/jobs${query}`);
    expect(status).toBe(200);
    return JobList.parse(body);
  };

  it("answers with items and nextToken, both empty at first [4.2-5]", async () => {
    expect(await list()).toEqual({ items: [], nextToken: null });
  });

  it("lists the newest first, a page at a time, every job once [2.2-1 4.2-2 4.2-7]", async () => {
    const made: string[] = [];
    for (let i = 0; i < 7; i += 1) made.unshift((await newJob(client)).jobId);
    const seen: string[] = [];
    let page = await list("?limit=3");
    for (;;) {
      seen.push(...page.items.map((item) => item.jobId));
      if (page.nextToken === null) break;
      page = await list(`?limit=3&nextToken=${encodeURIComponent(page.nextToken)}`);
    }
    expect(seen).toEqual(made);
  });

  it("accepts a limit of 1 to 100, and ignores unknown parameters [4.2-1 8-1 4.3-23 A24-3]", async () => {
    await newJob(client);
    const { jobId } = await newJob(client);
    expect((await list("?limit=1")).items.map((item) => item.jobId)).toEqual([jobId]);
    const page = await list("?limit=100&colour=red");
    expect(page.items).toHaveLength(2);
    expect(page.nextToken).toBeNull();
    expect(await list("?limit=100&nextToken=")).toEqual(page);
  });

  it("keeps its place when newer jobs come in between two pages [4.2-2 4.2-7]", async () => {
    const first = (await newJob(client)).jobId;
    await newJob(client);
    const page = await list("?limit=1");
    await newJob(client);
    const next = await list(`?limit=1&nextToken=${page.nextToken}`);
    expect(next).toMatchObject({ items: [{ jobId: first }], nextToken: null });
  });

  it("returns 25 without a limit [4.2-1 8-1]", async () => {
    for (let i = 0; i < 26; i += 1) await newJob(client);
    const page = await list();
    expect(page.items).toHaveLength(25);
    expect(page.nextToken).not.toBeNull();
  });

  it("filters by jobId, mode and status [2.2-2 4.2-3 4.2-4]", async () => {
    const inference = new FakeInference();
    const single = await newJob(client);
    const batch = await newJob(client, 2);
    const failed = await newJob(client);
    const file = await uploaded(client, MP4, "video/mp4");
    const video = (await client.send("POST", "/v1/jobs", videoJob(file))).body;
    await finishJob(inference, client.accountId, failed.jobId, failed.tasks, () => failure(false));
    const ids = async (query: string) => (await list(query)).items.map((item) => item.jobId);
    expect(await ids(`?jobId=${single.jobId}`)).toEqual([single.jobId]);
    expect(await ids("?mode=batch")).toEqual([batch.jobId]);
    expect(await ids("?mode=video")).toEqual([video.jobId]);
    expect(await ids("?mode=video&status=failed")).toEqual([]);
    await expect.poll(() => ids("?status=failed")).toEqual([failed.jobId]);
    expect(await ids("?status=queued&mode=single")).toEqual([single.jobId]);
    const { items } = await list(`?jobId=${failed.jobId}`);
    expect(items[0]).toMatchObject({ status: "failed", error: "not_an_image: The file is not a picture." });
  });

  it("never lists another account's jobs [4.2-3 5-7]", async () => {
    const other = await newJob(await newClient());
    expect(await list()).toEqual({ items: [], nextToken: null });
    expect(await list(`?jobId=${other.jobId}`)).toEqual({ items: [], nextToken: null });
  });
});

describe("listJobs 400", () => {
  const list = (query: string) => client.send("GET", `/v1/jobs?${query}`);

  it.each([
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=1.5",
    "limit=1e2",
    "limit=abc",
    "limit=",
    "mode=images",
    "status=done",
    "status=",
  ])("refuses %s [4.2-1 4.2-6 7-2 8-1]", async (query) => {
    expectError(await list(query), 400, "invalid_request");
  });

  it("refuses a cursor that is forged, of another account, or of another list [4.2-6 4.2-8]", async () => {
    await newJob(client);
    await newJob(client);
    const { nextToken } = (await list("limit=1")).body;
    expect((await list(`limit=1&nextToken=${nextToken}`)).status).toBe(200);

    const forged = `${nextToken.slice(0, -4)}AAAA`;
    for (const token of ["abc", "a.b.c", forged, "x".repeat(1_000)]) {
      expectError(await list(`nextToken=${token}`), 400, "invalid_cursor");
    }
    expectError(await list(`status=queued&nextToken=${nextToken}`), 400, "invalid_cursor");
    const other = await newClient();
    expectError(await other.send("GET", `/v1/jobs?nextToken=${nextToken}`), 400, "invalid_cursor");
  });
});
