import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { type RequestOptions, SegmentationClient } from "segmentation-client";
import { describe, expect, it, onTestFinished } from "vitest";
import { picture } from "../support/memory-client.ts";
import { fakeService } from "../support/fake-service.ts";

/** Serves an app behind a proxy that loses the first answer to each request that creates a job, once it has taken effect. */
async function startProxy({ app }: ReturnType<typeof fakeService>): Promise<string> {
  const cut = new Set<string>();
  const server = createServer((request, response) => {
    void (async () => {
      const body = new Uint8Array(await buffer(request));
      const headers = Object.entries(request.headers).map(
        ([name, value]) => [name, String(value)] as [string, string],
      );
      const { method = "GET", url = "" } = request;
      const answer = await app.fetch(
        new Request(`http://${request.headers.host}${url}`, {
          method,
          headers,
          ...(body.length > 0 && { body }),
        }),
      );
      const tasks = Buffer.from(body).toString();
      if (method === "POST" && url === "/v1/jobs" && !cut.has(tasks)) {
        cut.add(tasks);
        return request.socket.destroy();
      }
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
}

/** Every way to give, or not to give, the key under which a job is created. */
const FORMS: readonly (() => RequestOptions | undefined)[] = [
  () => undefined,
  () => ({}),
  () => ({ idempotencyKey: undefined }),
  () => ({ idempotencyKey: "" }),
  () => ({ idempotencyKey: randomUUID() }),
  () => ({ headers: {} }),
  () => ({ headers: { "idempotency-key": undefined } }),
  () => ({ headers: { "Idempotency-Key": randomUUID() }, idempotencyKey: undefined }),
  () => ({ maxRetries: undefined, signal: undefined, timeoutMs: undefined, onRetry: undefined }),
  () => ({ maxRetries: 2, timeoutMs: 60_000 }),
];
const CALLS = 40;

describe("a connection that breaks after a POST took effect", () => {
  it("never makes a second job, with any options", async () => {
    const service = fakeService({ looks: 0 });
    const baseUrl = await startProxy(service);
    const client = new SegmentationClient({ baseUrl, apiKey: "sk_live_fake", retryDelayMs: 1 });
    const jobIds: string[] = [];
    for (let i = 0; i < CALLS; i++) {
      const tasks = [await client.upload(picture(i))];
      const options = FORMS[i % FORMS.length]?.();
      jobIds.push((await client.api.createJob({ type: "image", prompts: ["cup"], tasks }, options)).jobId);
    }
    expect(jobIds).toEqual([...service.jobs.keys()]);
    expect(jobIds).toHaveLength(CALLS);
  });

  it("never makes a second job of segment() or submit()", async () => {
    const service = fakeService({ looks: 0 });
    const baseUrl = await startProxy(service);
    const client = new SegmentationClient({ baseUrl, apiKey: "sk_live_fake", retryDelayMs: 1 });
    const segmented = await client.segment(picture(1), "cup", { idempotencyKey: undefined });
    const submitted = await client.submit(picture(2), "cup", { idempotencyKey: "mine" });
    expect([segmented.jobId, submitted.jobId]).toEqual([...service.jobs.keys()]);
  });
});
