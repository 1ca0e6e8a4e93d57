import pino from "pino";
import { describe, expect, it } from "vitest";
import { GatewayAnswer, GatewayHello, PROTOCOL } from "@segmentation/protocol";
import { GatewayConnection } from "../../src/gateway/connection.ts";
import { type Dialed, startGateway } from "../support/service/fake-gateway.ts";
import { SERVICE_TOKEN, startRig, until } from "../support/service/running-service.ts";

const DESCRIPTION: GatewayHello["model"] = {
  protocol: PROTOCOL,
  id: "test",
  version: "1",
  family: "builtin",
  provider: "cpu",
  vocabulary: "open",
  attributes: false,
  regions: { box: true, points: true, clips: false, examples: false },
  formats: [],
  capabilities: { types: ["image"], preview: true },
};

const parsed = ({ received }: Dialed): unknown[] => received.map((text) => JSON.parse(text));

async function connection(dialed: readonly Dialed[], number: number): Promise<Dialed> {
  await until(() => (dialed[number]?.received.length ?? 0) > 0);
  const found = dialed[number];
  if (found === undefined) throw new Error("there is no connection");
  return found;
}

const helloOf = (dialed: Dialed): GatewayHello => GatewayHello.parse(parsed(dialed)[0]);

async function ask(
  dialed: Dialed,
  method: string,
  path: string,
  body: unknown = null,
): Promise<GatewayAnswer> {
  const id = String(Math.random());
  const headers = { "content-type": "application/json", "x-protocol": String(PROTOCOL) };
  const text = body === null ? null : JSON.stringify(body);
  dialed.send(JSON.stringify({ type: "request", id, method, path, headers, body: text }));
  const answer = () => parsed(dialed).find((frame) => GatewayAnswer.safeParse(frame).data?.id === id);
  await until(() => answer() !== undefined);
  return GatewayAnswer.parse(answer());
}

describe("a service with GATEWAY_URL", () => {
  it("introduces itself, takes tasks by the connection, and says when they have ended", async () => {
    await using gateway = await startGateway();
    await using rig = await startRig({ GATEWAY_URL: gateway.url });
    const dialed = await connection(gateway.dialed, 0);
    expect(dialed.headers.authorization).toBe(`Bearer ${SERVICE_TOKEN}`);
    expect(helloOf(dialed)).toMatchObject({ protocol: PROTOCOL, model: { id: "fixture" }, tasks: [] });
    const request = rig.worker.request();
    expect(await ask(dialed, "POST", "/v1/tasks", request)).toMatchObject({ status: 202 });
    expect(await rig.worker.completed(request.key)).toMatchObject({ outcome: "success" });
    await until(() => parsed(dialed).some((frame) => JSON.stringify(frame).includes('"ended"')));
    expect(parsed(dialed)).toContainEqual({ type: "ended", key: request.key });
  });

  it("continues with a task while the connection is lost, and names it when it is back", async () => {
    await using gateway = await startGateway();
    await using rig = await startRig({ GATEWAY_URL: gateway.url });
    const first = await connection(gateway.dialed, 0);
    const request = rig.worker.request({ prompts: ["slow"] });
    await ask(first, "POST", "/v1/tasks", request);
    first.destroy();
    const completed = rig.worker.completed(request.key);
    const second = await connection(gateway.dialed, 1);
    const { tasks } = helloOf(second);
    expect(await completed).toMatchObject({ outcome: "success" });
    expect([[], [request.key]]).toContainEqual(tasks);
  });

  it("accepts another offer of a task that it has, even while it drains and its lane is full", async () => {
    await using gateway = await startGateway();
    await using rig = await startRig({ GATEWAY_URL: gateway.url, IN_FLIGHT: "1", QUEUE_CAPACITY: "1" });
    const dialed = await connection(gateway.dialed, 0);
    const released = Promise.withResolvers<void>();
    const body = () => new ReadableStream({ start: (stream) => released.promise.then(() => stream.close()) });
    rig.worker.answers.set("held", () => new Response(body()));
    const running = rig.worker.request({ inputUrl: `${rig.worker.origin}/answers/held` });
    expect((await ask(dialed, "POST", "/v1/tasks", running)).status).toBe(202);
    const drained = rig.service.drain();
    expect((await ask(dialed, "POST", "/v1/tasks", running)).status).toBe(202);
    expect((await ask(dialed, "POST", "/v1/tasks", rig.worker.request())).status).toBe(503);
    released.resolve();
    await drained;
    await dialed.closed;
  });

  it.each([
    [{ GATEWAY_URL: "https://a.example" }, /GATEWAY_URL: is not the Worker's URL with wss:/],
    [{ GATEWAY_URL: "ws://a.example" }, /GATEWAY_URL: must begin with wss: unless it is on this machine/],
    [
      { GATEWAY_URL: "wss://a.example", INFERENCE_TOKEN: "" },
      /INFERENCE_TOKEN: is required with GATEWAY_URL/,
    ],
  ])("is refused with %o", async (environment, message) => {
    await expect(startRig(environment)).rejects.toThrow(message);
  });
});

describe("a connection", () => {
  const times = { pingMs: 20, pongMs: 60_000, pauseMs: 20 };
  const open = (
    url: string,
    lines: string[] = [],
    changes: Partial<typeof times> = {},
    tasks: string[] = [],
  ) => {
    const log = pino({ base: null }, { write: (line) => void lines.push(line) });
    const hello = (): GatewayHello => ({
      type: "hello",
      protocol: PROTOCOL,
      version: "test",
      device: "cpu",
      places: 1,
      model: DESCRIPTION,
      tasks,
    });
    return new GatewayConnection({
      url,
      token: "a-token",
      hello,
      http: () => new Response(null, { status: 204 }),
      log,
      times: { ...times, ...changes },
    });
  };
  /** The line of the log about an event, once it is there. */
  const logged = async (lines: readonly string[], event: string) => {
    await until(() => lines.some((line) => line.includes(event)));
    return JSON.parse(lines.find((line) => line.includes(event)) ?? "{}");
  };

  it("is replaced by another one if the gateway answers no pings", async () => {
    await using gateway = await startGateway();
    gateway.isSilent = true;
    const lines: string[] = [];
    const service = open(gateway.url, lines, { pongMs: 200 });
    const silent = await connection(gateway.dialed, 0);
    gateway.isSilent = false;
    await connection(gateway.dialed, 1);
    expect(silent.pings).toBeGreaterThan(0);
    expect(lines.join("")).toContain("no pong");
    service.close();
  });

  it("waits a minute after a refusal, and logs the gateway's sentence", async () => {
    await using gateway = await startGateway();
    const lines: string[] = [];
    const service = open(gateway.url, lines);
    (await connection(gateway.dialed, 0)).close(4001, "This token is unknown or revoked.");
    const line = await logged(lines, "gateway_refused");
    expect(line).toMatchObject({ code: 4001, reason: "This token is unknown or revoked." });
    expect(line.againInMs).toBeGreaterThanOrEqual(30_000);
    service.close();
  });

  it.each([
    ["at most two seconds while it has a task", ["job.task.1"], [1_000, 2_000]],
    ["up to half a minute without one", [], [15_000, 30_000]],
  ] as const)("pauses %s", async (_, tasks, [least = 0, most = 0]) => {
    await using gateway = await startGateway();
    const lines: string[] = [];
    const service = open(gateway.url, lines, { pauseMs: 60_000 }, [...tasks]);
    (await connection(gateway.dialed, 0)).destroy();
    const { againInMs } = await logged(lines, "gateway_lost");
    expect([againInMs >= least, againInMs <= most]).toEqual([true, true]);
    service.close();
  });
});
