import { expect, test } from "vitest";
import { startRig, until } from "../support/service/running-service.ts";
import {
  giveWayToOlder,
  offerToRoomForFour,
  startInteractiveNext,
} from "../support/service/strained-lanes.ts";
import { watchHealth } from "../support/service/watch-health.ts";

const FAULTY = new URL("../support/service/faulty-model.ts", import.meta.url).href;

test("of 500 tasks offered to a service with room for four none is lost, none runs twice, and no more than four are held", () =>
  offerToRoomForFour(500));

test("60 tasks that give way to ever older ones all succeed once they are offered again", () =>
  giveWayToOlder(60));

test("interactive tasks that come while a batch of 100 waits are started next, before all that wait", () =>
  startInteractiveNext(100, 12));

test("after any series of failures, the service answers and the next good task succeeds", async () => {
  await using rig = await startRig({ TASK_TIMEOUT_SECONDS: "3" }, FAULTY);
  const health = watchHealth(rig);
  const codes: string[] = [];
  for (const prompt of ["throw", "crash", "a row too few", "hang", "allocation", "crash", "unicorn"]) {
    const report = await rig.finish({ prompts: [prompt] });
    codes.push(report.outcome === "failed" ? report.problem.code : report.outcome);
    await until(async () => (await fetch(`${rig.service.url}/readyz`)).ok);
    expect((await rig.finish()).outcome).toBe("success");
  }
  expect(codes).toEqual([
    "internal_error",
    "engine_crashed",
    "model_output_invalid",
    "engine_timeout",
    "internal_error",
    "engine_crashed",
    "prompt_outside_vocabulary",
  ]);
  await health.stop();
  expect(health.statuses.length).toBeGreaterThan(10);
  expect(new Set(health.statuses)).toEqual(new Set([200]));
});
