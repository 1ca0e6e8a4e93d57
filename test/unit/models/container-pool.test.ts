import { PROTOCOL } from "@segmentation/protocol";
import { beforeEach, expect, it } from "vitest";
import { ContainerPool } from "../../../src/models/store/container-pool.ts";
import type { MachineState } from "../../../src/models/store/container-rpc.ts";
import { aTask } from "../../support/a-task.ts";

const WAITING = { lane: "bulk", type: "image", account: "account", acceptedAt: 1 } as const;

/** A machine whose service has room for some tasks. */
class FakeInstance {
  state: MachineState = "asleep";
  capacity = 1;
  /** The service's version of the protocol. */
  protocol = PROTOCOL;
  wakes = 0;
  readonly taken: string[] = [];
  readonly cancelled: string[] = [];
  decoders = 0;

  machine = async (): Promise<MachineState> => this.state;
  wake = async (): Promise<void> => {
    this.wakes += 1;
    this.state = "starting";
  };
  fetch = async (url: string, init: RequestInit & { body?: string }): Promise<Response> => {
    const { pathname } = new URL(url);
    if (pathname === "/v1/model") return Response.json({ protocol: this.protocol });
    if (init.method === "DELETE") this.cancelled.push(pathname);
    if (init.method === "DELETE") return new Response(null, { status: 204 });
    const asked = new Headers(init.headers).get("x-protocol");
    if (asked !== String(this.protocol))
      return Response.json({ error: "protocol_mismatch" }, { status: 412 });
    if (pathname === "/v1/decoder") this.decoders += 1;
    if (pathname === "/v1/decoder") return new Response(null, { status: 202 });
    const body = JSON.parse(init.body ?? "");
    const free = this.capacity - this.taken.length;
    if (pathname === "/v1/room")
      return Response.json({ room: body.tasks.map((_: unknown, i: number) => i < free) });
    if (free === 0) return Response.json({ error: "lane_full" }, { status: 429 });
    this.taken.push(body.key);
    return Response.json({}, { status: 202 });
  };
}

let instances: FakeInstance[];
let pool: ContainerPool;
beforeEach(() => {
  instances = [new FakeInstance(), new FakeInstance(), new FakeInstance()];
  const namespace = { getByName: (name: string) => instances[Number(name)] };
  pool = Reflect.construct(ContainerPool, [namespace, instances.length]);
});

const wakes = () => instances.map((instance) => instance.wakes);
const taken = () => instances.map((instance) => instance.taken.length);
const submit = (key: string, uploadId = key) => pool.submit(aTask(key), uploadId);

it("starts one container, the lowest, for any number of tasks", async () => {
  const outcome = { outcome: "busy", reason: "the container starts", expected: true, perhapsTaken: false };
  expect(await submit("a")).toMatchObject(outcome);
  expect(await submit("b")).toMatchObject(outcome);
  expect(await pool.room([WAITING], "c")).toEqual({
    room: [false],
    away: { reason: "the container starts", expected: true },
  });
  expect(wakes()).toEqual([1, 0, 0]);
});

it("starts another only when all awake ones are full and none is starting", async () => {
  for (const instance of instances.slice(0, 2)) instance.state = "up";
  expect((await submit("a")).outcome).toBe("accepted");
  expect((await submit("b")).outcome).toBe("accepted");
  expect([taken(), wakes()]).toEqual([
    [1, 1, 0],
    [0, 0, 0],
  ]);
  expect(await submit("c")).toMatchObject({ outcome: "busy", reason: "status 429 lane_full" });
  expect(await pool.room([WAITING], "c")).toEqual({ room: [false], away: null });
  expect(wakes()).toEqual([0, 0, 1]);
});

it("offers an upload's tasks to one container first, and spreads uploads evenly", async () => {
  for (const instance of instances) Object.assign(instance, { state: "up", capacity: 900 });
  for (let i = 0; i < 300; i += 1) await submit(`${i}.1`, `task_${i}`);
  const first = instances.map((instance) => new Set(instance.taken.map((key) => key.split(".")[0])));
  for (let i = 0; i < 300; i += 1) await submit(`${i}.2`, `task_${i}`);
  expect(instances.map((instance) => new Set(instance.taken.map((key) => key.split(".")[0])))).toEqual(first);
  for (const { size } of first) expect(size).toBeGreaterThan(70);
});

it("finds room in several containers, and cancels a task in each that is awake", async () => {
  for (const instance of instances.slice(1)) instance.state = "up";
  expect(await pool.room([WAITING, WAITING, WAITING], "a")).toEqual({
    room: [true, true, false],
    away: null,
  });
  await pool.cancel("a.1", "a");
  expect(instances.map(({ cancelled }) => cancelled)).toEqual([[], ["/v1/tasks/a.1"], ["/v1/tasks/a.1"]]);
});

it.each([
  ["older", PROTOCOL - 1],
  ["newer", PROTOCOL + 1],
])(
  "keeps its tasks for a container of its protocol while others are %s, in a rollout",
  async (_, protocol) => {
    const [first, second, third] = instances;
    for (const instance of [first, second])
      Object.assign(instance ?? {}, { state: "up", protocol, capacity: 9 });
    expect(await submit("a")).toMatchObject({ outcome: "busy", expected: false, perhapsTaken: false });
    expect(await pool.describeModel()).toMatchObject({ otherProtocol: protocol });
    expect(wakes()).toEqual([0, 0, 1]);
    Object.assign(third ?? {}, { state: "up" });
    expect((await submit("a")).outcome).toBe("accepted");
    expect(taken()).toEqual([0, 0, 1]);
  },
);

it("asks an awake container for the decoder's file, and never wakes one for it", async () => {
  const request = { sha256: "a".repeat(64), url: "https://s3.test/decoder", headers: {} };
  await pool.putDecoder(request);
  const [, second] = instances;
  if (second !== undefined) second.state = "up";
  await pool.putDecoder(request);
  expect(instances.map(({ decoders }) => decoders)).toEqual([0, 1, 0]);
  expect(wakes()).toEqual([0, 0, 0]);
});
