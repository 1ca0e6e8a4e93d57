import { beforeEach, describe, expect, it } from "vitest";
import { newClient, type Client } from "../../support/worker/api.ts";
import { newJob } from "../../support/worker/jobs.ts";
import { expectError } from "../../support/worker/wire.ts";

describe("listJobs 400", () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

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
  ])("refuses %s", async (query) => {
    expectError(await list(query), 400, "invalid_request");
  });

  it("refuses a cursor that is forged, of another account, or of another list", async () => {
    await newJob(client);
    await newJob(client);
    const { nextToken } = (await list("limit=1")).body;
    expect((await list(`limit=1&nextToken=${nextToken}`)).status).toBe(200);

    const forged = `${nextToken.slice(0, -4)}AAAA`;
    for (const token of ["", "abc", "a.b.c", forged, "x".repeat(1_000)]) {
      expectError(await list(`nextToken=${token}`), 400, "invalid_cursor");
    }
    expectError(await list(`status=queued&nextToken=${nextToken}`), 400, "invalid_cursor");
    const other = await newClient();
    expectError(await other.send("GET", `/v1/jobs?nextToken=${nextToken}`), 400, "invalid_cursor");
  });
});
