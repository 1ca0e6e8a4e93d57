/** Promises of a service that is offered more tasks than it has room for, at any number of tasks. */
import { expect } from "vitest";
import { type Rig, startRig, until } from "./running-service.ts";

export const keysOf = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${name}-${i}`);
/** The sum of the metrics whose names and labels begin so. */
export const metric = async (rig: Rig, beginning: string): Promise<number> => {
  const text = await (await fetch(`${rig.service.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith(beginning));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
};

/** None is lost, none runs twice, and no more than four are held. */
export async function offerToRoomForFour(tasks: number): Promise<void> {
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
  const waiting = keysOf("bulk", tasks).values();
  const consumer = async (): Promise<void> => {
    for (const key of waiting) await offer(key);
  };
  await Promise.all(Array.from({ length: 8 }, consumer));
  await until(() => completions.size === tasks);
  expect(mostHeld).toBeLessThanOrEqual(4);
  expect(refused).toBeGreaterThan(tasks / 5);
  for (const [key, reports] of completions) {
    expect(reports.map(({ outcome }) => outcome)).toEqual(["success"]);
    expect(rig.worker.stored.has(`${key}/masks/0.png`)).toBe(true);
  }
  // The Worker hears of a task's end before the service counts it.
  await until(async () => (await metric(rig, "inference_in_flight")) === 0);
  expect(await metric(rig, 'inference_refusals_total{status="429"}')).toBe(refused);
  expect(await metric(rig, 'inference_tasks_total{outcome="success"')).toBe(tasks);
  expect(await metric(rig, 'inference_queue_depth{lane="bulk"}')).toBe(0);
}

/** Tasks that give way to older ones succeed when they are offered again. */
export async function giveWayToOlder(tasks: number): Promise<void> {
  await using rig = await startRig({ IN_FLIGHT: "2", QUEUE_CAPACITY: "4" });
  const { completions } = rig.worker;
  let handedBack = 0;
  /** Offers a task until it has ended; later tasks are older. */
  const see = async (name: string, acceptedAt: number): Promise<void> => {
    for (let lease = 1; ; lease++) {
      const key = `${name}.${lease}`;
      const before = completions.size;
      const { status } = await rig.post(rig.worker.request({ key, account: name, acceptedAt }));
      if (status === 429) {
        await until(() => completions.size > before);
        continue;
      }
      expect(status).toBe(202);
      if ((await rig.worker.completed(key)).outcome === "success") return;
      expect(completions.get(key)).toEqual([{ outcome: "returned" }]);
      handedBack += 1;
    }
  };
  await Promise.all(keysOf("task", tasks).map((name, index) => see(name, 1_000 - index)));
  expect(handedBack).toBeGreaterThan(tasks / 6);
  await until(async () => (await metric(rig, "inference_in_flight")) === 0);
  expect(await metric(rig, 'inference_tasks_total{outcome="success"')).toBe(tasks);
  expect(await metric(rig, 'inference_tasks_total{outcome="returned"')).toBe(handedBack);
}

/** The service starts interactive tasks that arrive during a batch before all that wait. */
export async function startInteractiveNext(batch: number, interactive: number): Promise<void> {
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
  for (const key of keysOf("bulk", batch)) expect((await rig.post(task(key, "bulk"))).status).toBe(202);
  for (const key of keysOf("interactive", interactive)) {
    // A quick machine would finish the batch before the last interactive task arrives.
    for (const more of keysOf(`more-${key}`, 20)) await rig.post(task(more, "bulk"));
    const soFar = started.length + 3;
    await until(() => started.length >= soFar);
    expect(await metric(rig, 'inference_queue_depth{lane="bulk"}')).toBeGreaterThan(inFlight + 1);
    expect((await rig.post(task(key, "interactive"))).status).toBe(202);
    const atArrival = started.length;
    await rig.worker.completed(key);
    // Tasks that had a place before it, plus the task that got the next place and may have overtaken it on the way to
    // storage.
    expect(started.indexOf(key) - atArrival).toBeLessThanOrEqual(inFlight + 1);
  }
  await until(() => completions.size === batch + interactive + interactive * 20);
  for (const reports of completions.values()) {
    expect(reports.map(({ outcome }) => outcome)).toEqual(["success"]);
  }
}
