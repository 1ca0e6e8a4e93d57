import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import worker from "../../../src/index.ts";
import { inputKey } from "../../../src/shared/bucket/object-keys.ts";
import { inspectUploads } from "../../../src/uploads/operations/inspect-uploads.ts";
import { type Answer, type Client, newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { deliverTask, FakeInference } from "../../support/worker/fakes/inference.ts";
import { GIF, imageJob, PNG, presign, uploaded, uploads } from "../../support/worker/fixtures/jobs.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Counts the calls of the bucket from now on. */
function countReads(): () => number {
  const get = vi.spyOn(env.MEDIA, "get");
  const head = vi.spyOn(env.MEDIA, "head");
  return () => get.mock.calls.length + head.mock.calls.length;
}

describe("the bucket's reads for jobs that are refused", () => {
  let client: Client;
  const create = (tasks: readonly string[]): Promise<Answer> =>
    client.send("POST", "/v1/jobs", imageJob(tasks));
  const inspect = async (): Promise<void> => {
    later(7 * MINUTE);
    await inspectUploads(home.platform, Date.now());
  };
  beforeEach(async () => {
    client = await newClient();
  });

  it("have the budget of the day's tasks: beyond it, a job with unseen uploads is refused without a read", async () => {
    // Twice as many tasks.
    overrideSettings({ MAX_UNITS_PER_DAY: 10 });
    const tasks = [...(await uploads(client, 7)), await presign(client)];
    const reads = countReads();
    let refused = await create(tasks);
    let tries = 1;
    for (; refused.body.error === "upload_incomplete" && tries < 20; tries += 1)
      refused = await create(tasks);
    expectError(refused, 402, "daily_limit_reached");
    expect(refused.headers.get("retry-after")).toBe(String(refused.body.retryAfterSeconds));
    const inAll = reads();
    // The day's tasks, and at most the uploads of the last job.
    expect(inAll).toBeLessThan(20 + tasks.length);
    expect((await create(tasks)).body.error).toBe("daily_limit_reached");
    expect(reads()).toBe(inAll);
    expect(tries).toBeGreaterThan(2);

    client = await newClient();
    expect((await create(await uploads(client, 2))).status, "another account").toBe(202);
  });

  it("count for the day on which they were made", async () => {
    overrideSettings({ MAX_UNITS_PER_DAY: 1 });
    const empty = await presign(client);
    for (let i = 0; i < 2; i += 1) expectError(await create([empty]), 409, "upload_incomplete");
    const refused = await create([empty]);
    expectError(refused, 402, "daily_limit_reached");
    later(refused.body.retryAfterSeconds * 1_000);
    expect((await create([await uploaded(client)])).status).toBe(202);
  });

  it("count even if the client goes away before it is answered: the request is not over until they do", async () => {
    const there = await uploaded(client);
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const get = env.MEDIA.get.bind(env.MEDIA);
    vi.spyOn(env.MEDIA, "get").mockImplementation(async (...what: Parameters<typeof get>) => {
      asked.resolve();
      await gate.promise;
      return get(...what);
    });
    const context = createExecutionContext();
    const body = JSON.stringify(imageJob([there, await presign(client)]));
    const headers = { authorization: `Bearer ${client.key}`, "content-type": "application/json" };
    const request = new Request("https://api.test/v1/jobs", { method: "POST", headers, body });
    // The client does not wait for the answer. The platform then waits for the context's work.
    const unheard = worker.fetch(request, env, context);
    await asked.promise;
    const over = waitOnExecutionContext(context);
    gate.resolve();
    await over;
    const { refusedInspections } = await home.platform.ledger.use(client.accountId);
    expect(refusedInspections.inspections).toBe(2);
    await unheard;
  });

  it("do not continue after the first upload that is missing", async () => {
    const tasks = [await presign(client), ...(await uploads(client, 40))];
    const reads = countReads();
    expectError(await create(tasks), 409, "upload_incomplete");
    // Reads in progress at the same time.
    expect(reads()).toBeLessThanOrEqual(12);
  });

  it("do not happen for an accepted job", async () => {
    overrideSettings({ MAX_UNITS_PER_DAY: 3 });
    const tasks = await uploads(client, 3);
    expect((await create(tasks)).status).toBe(202);
    const rows = await home.DB.prepare("SELECT count(*) AS n FROM refused_inspections").first<number>("n");
    expect(rows).toBe(0);
  });

  it("do not happen for uploads inspected after their URLs had expired", async () => {
    const inference = new FakeInference();
    const [png, gif] = [await uploaded(client), await uploaded(client, GIF, "image/gif")];
    await inspect();
    const reads = countReads();
    const { status, body } = await create([png, gif]);
    expect({ status, reads: reads() }).toEqual({ status: 202, reads: 0 });
    await deliverTask(body.jobId, png);
    const stored = await env.MEDIA.head(inputKey(client.accountId, png));
    expect(inference.last.inputEtag).toBe(stored?.httpEtag);
  });

  it("do not happen for uploads that an accepted job has seen: the next job reuses its findings [4.3-29]", async () => {
    const inference = new FakeInference();
    const tasks = [await uploaded(client), await uploaded(client, GIF, "image/gif")];
    const sized = await client.send("POST", "/v1/uploads/presign", {
      contentType: "image/png",
      size: PNG.length,
    });
    await env.MEDIA.put(inputKey(client.accountId, sized.body.taskId), PNG);
    tasks.push(sized.body.taskId);
    const reads = countReads();
    expect((await create(tasks)).status).toBe(202);
    expect(reads()).toBe(3);
    // The bucket's events, or an inspection, give the sizes of the others.
    const { status, body } = await create([sized.body.taskId]);
    expect({ status, reads: reads() }).toEqual({ status: 202, reads: 3 });
    await inspect();
    const before = reads();
    expect((await create(tasks)).status).toBe(202);
    expect(reads()).toBe(before);
    await deliverTask(body.jobId, sized.body.taskId);
    const stored = await env.MEDIA.head(inputKey(client.accountId, sized.body.taskId));
    expect(inference.last.inputEtag).toBe(stored?.httpEtag);
  });

  it("are made for each job with a file that is smaller than an earlier one of its upload", async () => {
    overrideSettings({ MAX_IMAGE_BYTES: 100 });
    const taskId = await presign(client);
    await home.platform.uploads.noteSize(taskId, 101);
    await env.MEDIA.put(inputKey(client.accountId, taskId), PNG);
    expect((await create([taskId])).status).toBe(202);
    expect((await create([taskId])).status).toBe(202);
    await inspect();
    expect((await create([taskId])).status).toBe(202);
  });

  it("are made for an upload that may still be replaced, or that was not there when it was inspected", async () => {
    const late = await presign(client);
    await inspect();
    await env.MEDIA.put(inputKey(client.accountId, late), PNG);
    const fresh = await uploaded(client);
    const reads = countReads();
    expect((await create([late, fresh])).status).toBe(202);
    expect(reads()).toBe(2);
  });

  it("are not needed to refuse an upload of a known unsupported format", async () => {
    client = await newClient("trial");
    const odd = await uploaded(client, GIF, "image/gif");
    await inspect();
    const reads = countReads();
    expectError(await create([odd]), 402, "trial_format_unsupported");
    expect(reads()).toBe(0);
  });

  it("check an upload again if a second inspection missed its object", async () => {
    const taskId = await uploaded(client);
    expect((await create([taskId])).status).toBe(202);
    await inspect();
    await env.MEDIA.delete(inputKey(client.accountId, taskId));
    later(DAY);
    await inspectUploads(home.platform, Date.now());
    expectError(await create([taskId]), 409, "upload_incomplete");
  });
});
