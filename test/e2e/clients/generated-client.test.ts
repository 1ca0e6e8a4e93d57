import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../../src/operations.ts";
import { only, present } from "../../support/at.ts";
import { EventReader } from "../../support/event-stream.ts";
import { startFileServer } from "../../support/network/file-server.ts";
import { generatedClient, type GeneratedClient } from "../../support/clients/generated-client.ts";
import { maskPixels, sample } from "../../support/media/sample.ts";
import { type SharedStack, useSharedStack } from "../../support/stack/shared-stack.ts";

describe("a client generated from the API's document", () => {
  let stack: SharedStack;
  let client: GeneratedClient;
  let segmented: string;
  beforeAll(async () => {
    stack = await useSharedStack();
    client = await generatedClient(stack.baseUrl, stack.apiKey);
  });

  /** The data of a success. */
  async function given<T>(call: Promise<{ data?: T; error?: unknown }>): Promise<T> {
    const { data, error } = await call;
    if (data === undefined) throw new Error(`refused: ${JSON.stringify(error)}`);
    return data;
  }

  const withIdempotencyKey = (key: string) => ({ params: { header: { "Idempotency-Key": key } } });
  const job = (jobId: string) => ({ params: { path: { jobId } } });
  /** A job's or an archive's end, in one request. */
  const atEnd = (jobId: string) => ({ params: { path: { jobId }, header: { Prefer: "wait=60" } } });

  async function upload(): Promise<string> {
    const body = { contentType: "image/png" };
    const { uploadUrl, taskId } = await given(client.api.POST("/v1/uploads/presign", { body }));
    const headers = { "content-type": "image/png" };
    expect((await fetch(uploadUrl, { method: "PUT", headers, body: sample("chelsea") })).status).toBe(200);
    return taskId;
  }

  it("is made from the document that the service serves", () => {
    expect(client.document).toEqual(JSON.parse(readFileSync("docs/openapi.json", "utf8")));
  });

  it("uploads, creates a job once, waits for it, and fetches masks and archive [1-4 4.1-3 6-1]", async () => {
    const request = {
      ...withIdempotencyKey("job one"),
      body: { type: "image" as const, prompts: ["cat"], tasks: [await upload()], formats: ["coco" as const] },
    };
    const first = await client.api.POST("/v1/jobs", request);
    const again = await client.api.POST("/v1/jobs", request);
    expect(again.data).toEqual(first.data);
    expect(again.response.headers.get("idempotent-replayed")).toBe("true");
    const { jobId } = present(first.data, "answer");
    segmented = jobId;

    const early = await client.api.GET("/v1/jobs/{jobId}/download", job(jobId));
    expect(early.error?.error).toBe("download_not_requested");
    const events = await client.api.GET("/v1/jobs/{jobId}/events", { ...job(jobId), parseAs: "stream" });
    expect((await new EventReader(present(events.data, "stream")).rest()).at(-1)?.event).toBe("end");
    const ended = await client.api.GET("/v1/jobs/{jobId}", atEnd(jobId));
    expect(ended.data?.status).toBe("success");
    expect(ended.response.headers.get("preference-applied")).toBe("wait=60");

    const { manifest } = await given(client.api.GET("/v1/jobs/{jobId}/result", job(jobId)));
    if (manifest.type !== "image") throw new Error("not an image job's result");
    const mask = only(only(manifest.items).masks);
    const png = new Uint8Array(await (await fetch(mask.url)).arrayBuffer());
    expect(await maskPixels(png)).toMatchObject({ width: 451, height: 300 });

    const { version, document } = await given(client.api.GET("/v1/jobs/{jobId}/annotations", job(jobId)));
    const based = (on: number) => ({
      params: { path: { jobId }, header: { "If-Match": `"${on}"` } },
      body: { document: { ...document, classes: [{ id: 1, name: "cat" }], nextClassId: 2 } },
    });
    const saved = await client.api.PUT("/v1/jobs/{jobId}/annotations", based(version));
    expect([saved.data?.version, saved.response.headers.get("etag")]).toEqual([1, '"1"']);
    const conflict = await client.api.PUT("/v1/jobs/{jobId}/annotations", based(7));
    expect(conflict.error?.error).toBe("version_conflict");
    const { inputs } = await given(client.api.GET("/v1/jobs/{jobId}/inputs", job(jobId)));
    expect((await fetch(only(inputs).url)).status).toBe(200);

    const shared = await given(
      client.api.POST("/v1/jobs/{jobId}/share", { ...job(jobId), body: { showInputs: true } }),
    );
    const visitor = await generatedClient(stack.baseUrl, shared.token);
    const seen = await given(visitor.api.GET("/v1/jobs/{jobId}/share", job(jobId)));
    expect(seen.share).toEqual(shared.share);
    expect((await fetch(only(seen.inputs).url)).status).toBe(200);
    expect((await given(client.api.GET("/v1/jobs/{jobId}/share", job(jobId)))).share).toEqual(shared.share);
    expect((await given(client.api.GET("/v1/shares"))).items).toEqual([shared.share]);
    expect((await client.api.DELETE("/v1/jobs/{jobId}/share", job(jobId))).response.status).toBe(204);
    expect((await visitor.api.GET("/v1/jobs/{jobId}/share", job(jobId))).response.status).toBe(401);

    await given(client.api.POST("/v1/jobs/{jobId}/download", job(jobId)));
    const archive = await given(client.api.GET("/v1/jobs/{jobId}/download", atEnd(jobId)));
    expect(archive.status).toBe("ready");
    expect((await fetch(present(archive.downloadUrl, "downloadUrl"))).headers.get("content-type")).toBe(
      "application/zip",
    );

    const list = await given(
      client.api.GET("/v1/jobs", { params: { query: { limit: 1, mode: "single", status: "success" } } }),
    );
    expect(list.items).toMatchObject([{ jobId, totalItems: 1 }]);
  });

  it("cancels a job, and deletes it and its upload", async () => {
    const taskId = await upload();
    const body = { type: "image" as const, prompts: ["cat"], tasks: [taskId] };
    const canceled = job((await given(client.api.POST("/v1/jobs", { body }))).jobId);
    const { status } = await given(client.api.POST("/v1/jobs/{jobId}/cancel", canceled));
    expect(["success", "failed"]).toContain(status);
    expect((await client.api.DELETE("/v1/jobs/{jobId}", canceled)).response.status).toBe(204);
    expect((await client.api.GET("/v1/jobs/{jobId}", canceled)).response.status).toBe(404);
    const path = { params: { path: { taskId } } };
    expect((await client.api.DELETE("/v1/uploads/{taskId}", path)).response.status).toBe(204);
  });

  it("uploads a picture in parts", async () => {
    const picture = sample("chelsea");
    const begun = await given(
      client.api.POST("/v1/uploads/parts", {
        ...withIdempotencyKey("parts one"),
        body: { contentType: "image/png", size: picture.length },
      }),
    );
    const { taskId } = begun;
    const { partNumber, uploadUrl } = only(begun.parts);
    const sent = await fetch(uploadUrl, { method: "PUT", body: picture });
    const parts = [{ partNumber, etag: present(sent.headers.get("etag"), "ETag") }];
    const path = { params: { path: { taskId } } };
    const completed = await given(
      client.api.POST("/v1/uploads/{taskId}/complete", { ...path, body: { parts } }),
    );
    expect(completed).toEqual({ taskId, size: picture.length });
    expect((await fetch(uploadUrl, { method: "PUT", body: picture.subarray(1) })).status).toBe(403);
  });

  it("has the service import a picture", async () => {
    const picture = sample("chelsea");
    const source = await startFileServer({ "/cat.png": (response) => response.end(picture) });
    const imported = await given(
      client.api.POST("/v1/uploads/import", { body: { url: source.url("/cat.png") } }),
    );
    expect(imported).toMatchObject({ contentType: "image/png", size: picture.length });
    source.close();
  });

  it("reads the account, makes a key, uses it and revokes it [1-8 A6-10]", async () => {
    expect(await given(client.api.GET("/v1/account"))).toMatchObject({ status: "active" });
    const { access } = await given(client.api.GET("/v1/account/overview"));
    expect(access.canCreateJobs).toBe(true);
    const model = await given(client.api.GET("/v1/model"));
    expect(model).toMatchObject({ family: "builtin", attributes: false, video: true });
    expect(model.vocabulary).toContain("cat");
    const { days } = await given(client.api.GET("/v1/account/usage"));
    expect(days).toHaveLength(30);

    const made = await given(
      client.api.POST("/v1/api-keys", {
        ...withIdempotencyKey("key one"),
        body: { label: "generated client" },
      }),
    );
    const { keyId } = made.apiKey;
    const other = await generatedClient(stack.baseUrl, present(made.secret, "secret"));
    expect((await given(other.api.GET("/v1/account"))).status).toBe("active");
    const { items } = await given(client.api.GET("/v1/api-keys"));
    expect(items.map((key) => key.keyId)).toContain(keyId);

    const path = { params: { path: { keyId } } };
    expect((await given(client.api.DELETE("/v1/api-keys/{keyId}", path))).apiKey.revoked).toBe(true);
    const refused = await other.api.GET("/v1/account");
    expect([refused.response.status, refused.error?.error]).toEqual([401, "Unauthorized"]);
  });

  it("creates a webhook endpoint, sends it a test, and deletes it", async () => {
    const body = { url: "http://127.0.0.1:9/", events: ["job.failed" as const] };
    const made = await given(
      client.api.POST("/v1/webhook-endpoints", { ...withIdempotencyKey("endpoint one"), body }),
    );
    const { endpointId } = made.endpoint;
    const endpoint = { params: { path: { endpointId } } };
    const { items } = await given(client.api.GET("/v1/webhook-endpoints"));
    expect(items).toEqual([made.endpoint]);
    expect(await given(client.api.GET("/v1/webhook-endpoints/{endpointId}", endpoint))).toEqual(
      made.endpoint,
    );
    const change = { ...endpoint, body: { description: "the discard port" } };
    const changed = await given(client.api.PATCH("/v1/webhook-endpoints/{endpointId}", change));
    expect(changed.description).toBe("the discard port");
    const { secret } = await given(
      client.api.POST("/v1/webhook-endpoints/{endpointId}/rotate-secret", endpoint),
    );
    expect(secret).not.toBe(made.secret);
    const { deliveryId } = await given(client.api.POST("/v1/webhook-endpoints/{endpointId}/test", endpoint));
    const delivery = { params: { path: { endpointId, deliveryId } } };
    const retried = await given(
      client.api.POST("/v1/webhook-endpoints/{endpointId}/deliveries/{deliveryId}/retry", delivery),
    );
    expect(retried.deliveryId).toBe(deliveryId);
    const list = await given(client.api.GET("/v1/webhook-endpoints/{endpointId}/deliveries", endpoint));
    expect(list.items).toMatchObject([{ deliveryId, event: { type: "test" } }]);
    const gone = await client.api.DELETE("/v1/webhook-endpoints/{endpointId}", endpoint);
    expect(gone.response.status).toBe(204);
  });

  it("opens a checkout and the billing portal [1-8]", async () => {
    for (const path of ["/v1/billing/checkout", "/v1/billing/portal"] as const) {
      const { url } = await given(client.api.POST(path, withIdempotencyKey(path)));
      expect(new URL(url).protocol).toMatch(/^https?:$/);
    }
  });

  it("knows the errors' shape [2.11-1 7-1]", async () => {
    const missing = await client.api.GET("/v1/jobs/{jobId}", job("job_none"));
    expect(missing.error).toEqual({ error: "job_not_found", message: expect.any(String) });
    const empty = await client.api.POST("/v1/jobs", { body: { type: "image", prompts: [], tasks: [] } });
    expect(empty.error).toMatchObject({
      error: "invalid_request",
      message: expect.stringContaining("prompts"),
    });
    const page = await client.api.GET("/v1/jobs", { params: { query: { nextToken: "forged" } } });
    expect([page.response.status, page.error?.error]).toEqual([400, "invalid_cursor"]);
  });

  it("was answered by every operation, each answer as the document has it [1-1 4-1 5-4 7-13 A1-5 A3-1]", async () => {
    const isDone = (id: OperationId): boolean => client.seen.has(`${id} ${OPERATIONS[id].status}`);
    const named = { jobId: segmented, taskId: await upload() };
    for (const id of OPERATION_IDS) if (!isDone(id)) await client.sendExample(id, named);
    expect(OPERATION_IDS.filter((id) => !isDone(id))).toEqual([]);
  });
});
