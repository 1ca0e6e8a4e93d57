import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { newClient } from "../../support/worker/api.ts";
import { newJob } from "../../support/worker/jobs.ts";

it("a job's record has the names that it always had: its processing mode is `mode`, and it is read as such", async () => {
  const client = await newClient();
  const { jobId } = await newJob(client, 2);
  const object = env.JOBS.getByName(jobId);
  const record = await runInDurableObject(object, (_, { storage }) =>
    storage.kv.get<{ definition: Record<string, unknown> }>("job"),
  );
  expect(record?.definition).toMatchObject({ jobId, mode: "batch", lane: "bulk" });
  expect(record?.definition).not.toHaveProperty("processingMode");

  await evictDurableObject(object);
  const { body } = await client.send("GET", `/v1/jobs/${jobId}`);
  expect(body).toMatchObject({ jobId, processingMode: "batch", totalItems: 2 });
});
