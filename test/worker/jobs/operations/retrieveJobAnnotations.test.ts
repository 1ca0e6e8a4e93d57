import { beforeEach, describe, expect, it } from "vitest";
import { JobAnnotations } from "../../../../src/jobs/contract/annotations.ts";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import { annotations, saveAnnotations } from "../../../support/worker/fixtures/annotations.ts";
import { successfulJob } from "../../../support/worker/fixtures/archives.ts";
import { newJob } from "../../../support/worker/fixtures/jobs.ts";
import { shareJob, visit } from "../../../support/worker/fixtures/shares.ts";
import { expectError } from "../../../support/worker/client/wire.ts";

let client: Client;
let jobId: string;
let tasks: string[];
beforeEach(async () => {
  client = await newClient();
  ({ jobId, tasks } = await successfulJob(client));
});

const retrieve = (of = jobId) => client.send("GET", `/v1/jobs/${of}/annotations`);

describe("retrieveJobAnnotations 200", () => {
  it("returns an empty document of version 0 before anyone annotates the job, even while it runs [A25-1]", async () => {
    const waiting = await newJob(client);
    for (const of of [jobId, waiting.jobId]) {
      const { status, body, headers } = await retrieve(of);
      expect(status).toBe(200);
      expect(headers.get("etag")).toBe('"0"');
      expect(JobAnnotations.parse(body)).toEqual({
        version: 0,
        updatedAt: null,
        document: { format: 1, classes: [], nextClassId: 1, searches: [], tasks: [] },
      });
    }
  });

  it("returns the saved document with any characters [A25-1]", async () => {
    const document = annotations([
      { taskId: tasks[0], fileName: "Küche 猫 😀.jpg", verdict: "accepted", note: "läßt", objects: [] },
    ]);
    expect((await saveAnnotations(client, jobId, 0, document)).status).toBe(200);
    const { body, headers } = await retrieve();
    expect(headers.get("etag")).toBe('"1"');
    const read = JobAnnotations.parse(body);
    expect(read).toMatchObject({ version: 1, document });
    expect(Date.parse(read.updatedAt ?? "")).toBeGreaterThan(0);
  });

  it("shows them by a link only if its share says so [A25-7]", async () => {
    await saveAnnotations(client, jobId, 0, annotations());
    const path = `/v1/jobs/${jobId}/annotations`;
    const shared = await shareJob(client, jobId, { showAnnotations: true });
    expect(shared.share.showAnnotations).toBe(true);
    const seen = await visit(shared.token, path);
    expect(seen.body).toEqual((await retrieve()).body);
    expect(seen.headers.get("etag")).toBe('"1"');
    const headers = { "content-type": "application/json", "if-match": '"1"' };
    const body = JSON.stringify({ document: annotations() });
    expectError(await visit(shared.token, path, "PUT", { headers, body }), 401, "Unauthorized");
  });
});

describe("retrieveJobAnnotations 403", () => {
  it("answers a link that does not show them, by default [A25-7]", async () => {
    await saveAnnotations(client, jobId, 0, annotations());
    const { token } = await shareJob(client, jobId, { showInputs: true });
    const answer = await visit(token, `/v1/jobs/${jobId}/annotations`);
    expectError(answer, 403, "annotations_not_shared");
  });
});
