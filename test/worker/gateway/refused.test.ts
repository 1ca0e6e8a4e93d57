import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { GATEWAY_PATH, PROTOCOL } from "@segmentation/protocol";
import { newClient, send } from "../../support/worker/client/api.ts";
import { operate } from "../../support/worker/client/operator.ts";
import {
  closeOf,
  dial,
  FakeWorker,
  gateway,
  installGateway,
  newToken,
} from "../../support/worker/fakes/gateway-worker.ts";
import { deliverTask } from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { expectError } from "../../support/worker/client/wire.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";

beforeEach(async () => {
  await installGateway();
});

describe("a connection", () => {
  it("is refused without a known token", async () => {
    expect(await closeOf(await dial("wkr_of-nobody"))).toMatchObject({ code: 4001 });
  });

  it("is refused with a revoked token", async () => {
    const token = await newToken("desk");
    expect((await operate("POST", "/workers/desk/remove")).status).toBe(200);
    expect(await closeOf(await dial(token))).toMatchObject({ code: 4001 });
  });

  it.each([
    [PROTOCOL + 1, "Upgrade the Worker: npm run deploy."],
    [PROTOCOL - 1, "Upgrade the inference service."],
  ])("of version %i of the protocol is refused: %s", async (protocol, remedy) => {
    const worker = await FakeWorker.start("desk", 9, { protocol });
    expect(await worker.closed).toEqual({ code: 4002, reason: expect.stringContaining(remedy) });
    expect(await gateway().listWorkers()).toMatchObject([{ isConnected: false }]);
  });

  it("needs a WebSocket", async () => {
    expectError(await send("GET", GATEWAY_PATH), 400, "invalid_request");
  });

  it("is not found unless the operator wants a gateway", async () => {
    overrideSettings({ INFERENCE_GATEWAY: false });
    expectError(await send("GET", GATEWAY_PATH), 404, "not_found");
    expectError(await operate("GET", "/workers"), 400, "invalid_request");
  });
});

describe("the operator", () => {
  it("adds a name once, and gets its token only then", async () => {
    const { body } = await operate("POST", "/workers", { name: "desk" });
    expect(body).toEqual({
      name: "desk",
      token: expect.stringMatching(/^wkr_[0-9a-f]{64}$/),
      gatewayUrl: "wss://api.test",
      storageOrigin: "https://s3.test",
    });
    expectError(await operate("POST", "/workers", { name: "desk" }), 400, "invalid_request");
    expect(JSON.stringify((await operate("GET", "/workers")).body)).not.toContain(body.token);
  });

  it("can't add a malformed name, or remove an unknown one", async () => {
    expectError(await operate("POST", "/workers", { name: "a b" }), 400, "invalid_request");
    expectError(await operate("POST", "/workers/desk/remove"), 400, "invalid_request");
  });
});

describe("a worker is cut off, and loses its leases,", () => {
  it.each<readonly [string, (worker: FakeWorker) => void]>([
    ["that sends no JSON", ({ socket }) => socket.send("{")],
    ["that sends bytes", ({ socket }) => socket.send(new Uint8Array(9))],
    ["that sends another hello", (worker) => worker.send(worker.hello)],
    ["that sends a frame over 1 MiB", ({ socket }) => socket.send(`"${"x".repeat(1_048_575)}"`)],
    [
      "that floods",
      (worker) => {
        for (let i = 0; i <= 400; i += 1) worker.send({ type: "ended", key: "job.task.1" });
      },
    ],
  ])("%s", async (_, misbehave) => {
    const worker = await FakeWorker.start("desk");
    const { jobId, taskId } = await newJob(await newClient());
    await deliverTask(jobId, taskId);
    misbehave(worker);
    expect(await worker.closed).toMatchObject({ code: 4003 });
    const task = async () => (await env.JOBS.getByName(jobId).report())?.tasks[0];
    await expect.poll(task).toMatchObject({ at: "sent", attempts: 0 });
    await worker.again();
    expect(await worker.closed).toMatchObject({ code: 4003 });
  });

  it.each([
    ["that accepts another task than it was offered", "/v1/tasks", 202],
    ["that answers an offer with anything else", "/v1/tasks", 200],
    ["that answers the question for room with anything else", "/v1/room", 200],
  ])("%s", async (_, path, status) => {
    const worker = await FakeWorker.start("desk");
    worker.lies.set(path, { status, body: { key: "another.task.1", state: "queued" } });
    const { jobId, taskId } = await newJob(await newClient());
    await deliverTask(jobId, taskId);
    expect(await worker.closed).toMatchObject({ code: 4003 });
  });

  it("that answers for another one", async () => {
    const [honest, liar] = [await FakeWorker.start("honest"), await FakeWorker.start("liar", 0)];
    honest.isMute = true;
    honest.socket.addEventListener("message", ({ data }) => {
      const { id } = JSON.parse(String(data));
      liar.send({ type: "answer", id, status: 200, retryAfter: null, body: "{}" });
    });
    const { jobId, taskId } = await newJob(await newClient());
    const offered = deliverTask(jobId, taskId);
    expect(await liar.closed).toMatchObject({ code: 4003 });
    honest.socket.close(1000);
    await offered;
  });
});

it("a worker can't end or take the leases of another one", async () => {
  const honest = await FakeWorker.start("honest");
  const { jobId, taskId } = await newJob(await newClient());
  await deliverTask(jobId, taskId);
  const key = `${jobId}.${taskId}.1`;
  const liar = await FakeWorker.start("liar", 9, { tasks: [key] });
  liar.send({ type: "ended", key });
  await expect.poll(() => liar.stopped).toEqual([key]);
  liar.socket.close(1000);
  await expect
    .poll(() => gateway().listWorkers())
    .toMatchObject([
      { name: "honest", tasks: 1 },
      { name: "liar", isConnected: false },
    ]);
  expect(honest.running.size).toBe(1);
  expect((await env.JOBS.getByName(jobId).report())?.tasks).toMatchObject([{ at: "leased" }]);
});
