import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it } from "vitest";
import { ContainerPool } from "../../../src/models/store/container-pool.ts";
import type { TestedContainer } from "../../support/worker/machines/tested-container.ts";
import { aTask } from "../../support/a-task.ts";
import { isLong } from "../../support/worker/client/random.ts";

const UPLOAD = "upload";
const NO_TASKS = { outcome: "busy", reason: "the container starts", expected: true, perhapsTaken: false };

const SETTINGS = {
  INFERENCE_TOKEN: expect.stringMatching(/^[0-9a-f]{64}$/),
  STORAGE_ORIGINS: "https://s3.test",
  CALLBACK_ORIGINS: "https://api.test",
  DRAIN_SECONDS: "600",
};

const pool = new ContainerPool(env.TESTED_CONTAINER, 1);
afterEach(async () => {
  for (const name of ["0", "1"]) {
    await on(name, ({ fake }) => fake.crash());
    await expect
      .poll(() => on(name, (object) => object.getState()))
      .toMatchObject({ status: expect.stringMatching(/^stopped/) });
  }
});

const machine = (name: string) => env.TESTED_CONTAINER.getByName(name);
const on = <T>(name: string, read: (object: TestedContainer) => T | Promise<T>): Promise<T> =>
  runInDurableObject(machine(name), read);
const until = (name: string, state: string) => expect.poll(() => machine(name).machine()).toBe(state);

const letSleep = (name: string, may = true) => on(name, (object) => void (object.maySleep = may));

/** Offers a task until a machine takes it. */
const taken = (key: string, by = pool) =>
  expect.poll(() => by.submit(aTask(key), UPLOAD)).toEqual({ outcome: "accepted" });

describe("a container", () => {
  it("starts with the first task, sleeps without one, and wakes up; its model is known meanwhile", async () => {
    expect(await pool.describeModel()).toEqual({ reason: "status 503 container_starting" });
    expect(await pool.submit(aTask("a"), UPLOAD)).toMatchObject(NO_TASKS);
    expect((await machine("0").fetch("https://object/v1/room", { method: "POST" })).status).toBe(503);
    await until("0", "up");
    await letSleep("0");
    await until("0", "asleep");
    expect(await pool.describeModel()).toMatchObject({ id: "fixture" });
    expect(await on("0", ({ fake }) => [fake.starts.length, fake.signals])).toEqual([1, [15]]);
    await letSleep("0", false);
    await on("0", (object) => object.set({ CONTAINER_IMAGE: "docker.io/example/newer:2" }));
    expect(await pool.describeModel()).toEqual({ reason: "status 503 container_starting" });
    await taken("a");
    const starts = await on("0", ({ fake }) => fake.starts);
    expect(starts).toEqual([SETTINGS, SETTINGS]);
    expect(new Set(starts.map((each) => each["INFERENCE_TOKEN"])).size).toBe(2);
  });

  it.runIf(isLong)(
    "stays awake for a task that outlasts the time until it sleeps, and starts again after a crash",
    async () => {
      await taken("long.1");
      await letSleep("0");
      const [before, signals] = await on("0", ({ expired, fake }) => [expired, fake.signals.length]);
      await expect.poll(() => on("0", ({ expired }) => expired)).toBeGreaterThan(before + 1);
      expect(await on("0", ({ fake }) => fake.signals.length)).toBe(signals);
      await letSleep("0", false);
      await on("0", ({ fake }) => fake.crash());
      expect(await pool.submit(aTask("long.2"), UPLOAD)).toMatchObject(NO_TASKS);
      await taken("long.2");
      await letSleep("0");
      await pool.cancel("long.2", UPLOAD);
      await until("0", "asleep");
    },
  );

  it("keeps its machine when its object is replaced; a Worker of another protocol keeps its task", async () => {
    await taken("kept");
    await on("0", (object) => object.restart()).catch(() => undefined);
    await until("0", "up");
    await taken("kept");
    expect(await on("0", ({ fake }) => fake.starts)).toEqual([]);
    const headers = { "x-protocol": "2" };
    const offer = await machine("0").fetch("https://object/v1/tasks", { method: "POST", headers });
    expect([offer.status, await offer.json()]).toEqual([
      412,
      expect.objectContaining({ error: "protocol_mismatch" }),
    ]);
  });

  it("that can't start is not requested at each offer, and the operator is told", async () => {
    const refusal = "there is no container instance that can be provided to this durable object";
    await on("0", ({ fake }) => void (fake.refusal = refusal));
    await machine("0").wake();
    await until("0", "failed");
    const waits = { reason: "the container does not start", expected: false };
    expect(await pool.submit(aTask("none"), UPLOAD)).toMatchObject(waits);
    expect(await on("0", ({ fake }) => fake.starts)).toEqual([]);
  });
});

it.runIf(isLong)("starts a second container only when the first is full", async () => {
  const two = new ContainerPool(env.TESTED_CONTAINER, 2);
  await taken("one.1", two);
  expect(await machine("1").machine()).toBe("asleep");
  let tasks = 0;
  await expect
    .poll(async () => {
      tasks += 1;
      await two.submit(aTask(`more.${tasks}`), UPLOAD);
      return await machine("1").machine();
    })
    .not.toBe("asleep");
  await taken("last.1", two);
  const starts = ({ fake }: TestedContainer) => fake.starts.length;
  expect([await on("0", starts), await on("1", starts)]).toEqual([1, 1]);
});
