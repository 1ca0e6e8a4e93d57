import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { movingSquare } from "../support/moving-square.ts";
import { type Rig, startRig, until } from "../support/running-service.ts";

const keysOf = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${name}-${i}`);
/** The sum of the metrics whose names and labels begin so. */
const metric = async (rig: Rig, beginning: string): Promise<number> => {
  const text = await (await fetch(`${rig.service.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(beginning));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
};

test("of 500 tasks offered to a service with room for four none is lost, none runs twice, and no more than four are held", async () => {
  await using rig = await startRig({ IN_FLIGHT: "2", QUEUE_CAPACITY: "2" });
  const { completions } = rig.worker;
  let refused = 0;
  let accepted = 0;
  let mostHeld = 0;
  const offer = async (key: string): Promise<void> => {
    for (;;) {
      const before = completions.size;
      const { status } = await rig.post(rig.worker.request({ key, lane: "bulk", acceptedAt: 1 }));
      if (status === 202) break;
      expect(status).toBe(429);
      refused += 1;
      await until(() => completions.size > before);
    }
    accepted += 1;
    mostHeld = Math.max(mostHeld, accepted - completions.size);
  };
  const waiting = keysOf("bulk", 500).values();
  const consumer = async (): Promise<void> => {
    for (const key of waiting) await offer(key);
  };
  await Promise.all(Array.from({ length: 8 }, consumer));
  await until(() => completions.size === 500);
  expect(mostHeld).toBeLessThanOrEqual(4);
  expect(refused).toBeGreaterThan(100);
  for (const [key, reports] of completions) {
    expect(reports.map(({ outcome }) => outcome)).toEqual(["success"]);
    expect(rig.worker.stored.has(`${key}/masks/0.png`)).toBe(true);
  }
  // The Worker hears of a task's end before the service counts it.
  await until(async () => (await metric(rig, "inference_in_flight")) === 0);
  expect(await metric(rig, 'inference_refusals_total{status="429"}')).toBe(refused);
  expect(await metric(rig, 'inference_tasks_total{outcome="success"')).toBe(500);
  expect(await metric(rig, 'inference_queue_depth{lane="bulk"}')).toBe(0);
});

test("tasks that give way to ever older ones all succeed once they are offered again", async () => {
  await using rig = await startRig({ IN_FLIGHT: "2", QUEUE_CAPACITY: "4" });
  let handedBack = 0;
  /** Offers a task, the older the later it comes, until it has ended. */
  const see = async (name: string, acceptedAt: number): Promise<void> => {
    for (let lease = 1; ; lease++) {
      const key = `${name}.${lease}`;
      const { status } = await rig.post(rig.worker.request({ key, account: name, acceptedAt }));
      if (status === 429) {
        await sleep(5);
        continue;
      }
      expect(status).toBe(202);
      if ((await rig.worker.completed(key)).outcome === "success") return;
      expect(rig.worker.completions.get(key)).toEqual([{ outcome: "returned" }]);
      handedBack += 1;
    }
  };
  await Promise.all(keysOf("task", 60).map((name, index) => see(name, 1_000 - index)));
  expect(handedBack).toBeGreaterThan(10);
  await until(async () => (await metric(rig, "inference_in_flight")) === 0);
  expect(await metric(rig, 'inference_tasks_total{outcome="success"')).toBe(60);
  expect(await metric(rig, 'inference_tasks_total{outcome="returned"')).toBe(handedBack);
});

test("interactive tasks that come while a batch of 100 waits are started next, before all that wait", async () => {
  const inFlight = 2;
  await using rig = await startRig({ IN_FLIGHT: String(inFlight), QUEUE_CAPACITY: "400" });
  const { answers, completions, origin } = rig.worker;
  const started: string[] = [];
  const task = (key: string, lane: "bulk" | "interactive") => {
    answers.set(key, () => {
      started.push(key);
      return new Response(Uint8Array.from(rig.worker.inputs.get("bright.png") ?? []));
    });
    return rig.worker.request({ key, lane, inputUrl: `${origin}/answers/${key}` });
  };
  for (const key of keysOf("bulk", 100)) expect((await rig.post(task(key, "bulk"))).status).toBe(202);
  for (const key of keysOf("interactive", 12)) {
    // A quick machine would be through with the batch before the last interactive one comes.
    for (const more of keysOf(`more-${key}`, 20)) await rig.post(task(more, "bulk"));
    const soFar = started.length + 3;
    await until(() => started.length >= soFar);
    expect(await metric(rig, 'inference_queue_depth{lane="bulk"}')).toBeGreaterThan(inFlight + 1);
    expect((await rig.post(task(key, "interactive"))).status).toBe(202);
    const atArrival = started.length;
    await rig.worker.completed(key);
    // Those that had a place before it, plus one that got the next place and may have overtaken it on the way to
    // storage.
    expect(started.indexOf(key) - atArrival).toBeLessThanOrEqual(inFlight + 1);
  }
  await until(() => completions.size === 100 + 12 + 12 * 20);
  for (const reports of completions.values()) {
    expect(reports.map(({ outcome }) => outcome)).toEqual(["success"]);
  }
});

test("clips that wait keep no pictures of their lane out, and are bounded too", async () => {
  await using rig = await startRig({ IN_FLIGHT: "2", QUEUE_CAPACITY: "2" });
  const gate = Promise.withResolvers<void>();
  const behindGate = (name: string, bytes: Buffer): string => {
    rig.worker.answers.set(name, () => {
      const start = async (stream: ReadableStreamDefaultController): Promise<void> => {
        await gate.promise;
        stream.enqueue(Uint8Array.from(bytes));
        stream.close();
      };
      return new Response(new ReadableStream({ start }));
    });
    return `${rig.worker.origin}/answers/${name}`;
  };
  const clip = behindGate("clip.mp4", movingSquare(1));
  const picture = behindGate("bright.png", rig.worker.inputs.get("bright.png") ?? Buffer.alloc(0));
  const statuses = new Map<string, number>();
  for (const key of keysOf("clip", 4)) {
    const request = rig.worker.videoRequest({ key, lane: "bulk", inputUrl: clip });
    statuses.set(key, (await rig.post(request)).status);
  }
  for (const key of keysOf("picture", 4)) {
    const request = rig.worker.request({ key, lane: "bulk", inputUrl: picture });
    statuses.set(key, (await rig.post(request)).status);
  }
  // One clip runs and two wait; one picture runs beside the clip and two wait.
  expect([...statuses.values()]).toEqual([202, 202, 202, 429, 202, 202, 202, 429]);
  expect(await metric(rig, 'inference_queue_depth{lane="bulk"}')).toBe(4);
  gate.resolve();
  for (const [key, status] of statuses) {
    if (status === 202) expect((await rig.worker.completed(key)).outcome).toBe("success");
  }
});
