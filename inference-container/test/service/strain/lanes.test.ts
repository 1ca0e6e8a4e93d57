import { expect, test } from "vitest";
import { movingSquare } from "../../support/video/moving-square.ts";
import { startRig } from "../../support/service/running-service.ts";
import {
  giveWayToOlder,
  keysOf,
  metric,
  offerToRoomForFour,
  startInteractiveNext,
} from "../../support/service/strained-lanes.ts";
import { isLong } from "../../support/form.ts";

// inference-container/test/long/strain.test.ts has more of each.
test("of 60 tasks offered to a service with room for four none is lost, none runs twice, and no more than four are held", () =>
  offerToRoomForFour(60));

test.runIf(isLong)("tasks that give way to ever older ones all succeed once they are offered again", () =>
  giveWayToOlder(24),
);

test("interactive tasks that come while a batch of 20 waits are started next, before all that wait", () =>
  startInteractiveNext(20, 3));

test.runIf(isLong)("videos that wait keep no pictures of their lane out, and are bounded too", async () => {
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
  // One video runs and two wait; one picture runs at the same time and two wait.
  expect([...statuses.values()]).toEqual([202, 202, 202, 429, 202, 202, 202, 429]);
  expect(await metric(rig, 'inference_queue_depth{lane="bulk"}')).toBe(4);
  gate.resolve();
  for (const [key, status] of statuses) {
    if (status === 202) expect((await rig.worker.completed(key)).outcome).toBe("success");
  }
});
