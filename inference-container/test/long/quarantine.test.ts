import { expect, test } from "vitest";
import {
  bystanders,
  CRASHED,
  ends,
  inFlight,
  metrics,
  outcomes,
  slowly,
  TWELVE,
} from "../support/service/bystanders.ts";
import { movingSquare } from "../support/video/moving-square.ts";
import { startRig, until } from "../support/service/running-service.ts";

// Most of their time is a held picture's, so the tests run in parallel.
test.concurrent("a picture that ended the engine alone meets no others later: its next attempt ends the engine once, until one succeeds", async () => {
  await using rig = await startRig(TWELVE);
  const hostile = { inputUrl: `${rig.worker.origin}/inputs/bright.jpg`, prompts: ["collapse"] };
  expect(await rig.finish(hostile)).toMatchObject(CRASHED);
  await until(async () => (await fetch(`${rig.service.url}/readyz`)).ok);
  const before = slowly(rig, bystanders.slice(0, 4));
  await inFlight(rig, 4);
  const again = rig.finish({ ...hostile, key: "again" });
  await inFlight(rig, 5);
  const after = slowly(rig, bystanders.slice(4));
  expect(await again).toMatchObject(CRASHED);
  await Promise.all([...before, ...after]);
  expect(outcomes(rig, bystanders)).toEqual(bystanders.map(() => ["success"]));
  expect(await ends(rig)).toBe(2);
  await rig.finish({ ...hostile, prompts: ["bright"] });
  // It meets others again.
  const beside = slowly(rig, ["beside"]);
  await inFlight(rig, 1);
  await rig.finish({ ...hostile, prompts: ["collapse"] });
  await Promise.all(beside);
  expect(await ends(rig)).toBe(4);
});

test.concurrent("an engine that is killed from outside among several pictures costs none of them an attempt", async () => {
  await using rig = await startRig(TWELVE);
  const reports = bystanders.map((key) => rig.finish({ key, prompts: ["slow"] }));
  await inFlight(rig, 10);
  process.kill(rig.service.enginePid() ?? 0, "SIGKILL");
  await Promise.all(reports);
  expect(outcomes(rig, bystanders)).toEqual(bystanders.map(() => ["success"]));
});

test.concurrent("a video next to any number of hostile pictures starts again and succeeds", async () => {
  await using rig = await startRig(TWELVE);
  rig.worker.inputs.set("clip.mp4", movingSquare(2));
  const clip = rig.finishVideo({ key: "clip", prompts: ["slow", "bright"] });
  await until(async () => (await metrics(rig)).includes('inference_engine_jobs{device="cpu"} 1\n'));
  for (const name of ["bright.png", "bright.jpg", "bright.webp"]) {
    const inputUrl = `${rig.worker.origin}/inputs/${name}`;
    expect(await rig.finish({ key: name, inputUrl, prompts: ["collapse"] })).toMatchObject(CRASHED);
    await until(async () => (await metrics(rig)).includes('inference_engine_jobs{device="cpu"} 1\n'));
  }
  expect((await clip).outcome).toBe("success");
  expect(await ends(rig)).toBe(6);
});

test.concurrent("a hostile video fails, and no picture in the same engine does", async () => {
  await using rig = await startRig(TWELVE);
  rig.worker.inputs.set("clip.mp4", movingSquare(2));
  const slow = bystanders.map((key) => rig.finish({ key, prompts: ["slow"] }));
  await inFlight(rig, 10);
  const clip = rig.finishVideo({ key: "clip", prompts: ["collapse"] });
  expect(await clip).toMatchObject(CRASHED);
  await Promise.all(slow);
  expect(outcomes(rig, bystanders)).toEqual(bystanders.map(() => ["success"]));
  expect(await ends(rig)).toBe(2);
});

test.concurrent("a picture that blocks the engine's own thread fails alone, and no other in the engine loses an attempt", async () => {
  await using rig = await startRig({ ...TWELVE, TASK_TIMEOUT_SECONDS: "2" });
  const prompts = ["slow"];
  const reports = ["one", "two"].map((key) => rig.finish({ key, prompts }));
  await inFlight(rig, 2);
  expect(await rig.finish({ key: "blocker", prompts: ["block"] })).toMatchObject({
    outcome: "failed",
    problem: { code: "engine_timeout" },
  });
  await Promise.all(reports);
  expect(outcomes(rig, ["one", "two"])).toEqual([["success"], ["success"]]);
});

test.concurrent("a picture that ended the engine alone is handed back while every engine has a video", async () => {
  await using rig = await startRig(TWELVE);
  expect(await rig.finish({ key: "hostile", prompts: ["collapse"] })).toMatchObject(CRASHED);
  await until(async () => (await fetch(`${rig.service.url}/readyz`)).ok);
  rig.worker.inputs.set("clip.mp4", movingSquare(2));
  const clip = rig.finishVideo({ key: "clip", prompts: ["slow"] });
  await until(async () => (await metrics(rig)).includes('inference_engine_jobs{device="cpu"} 1\n'));
  expect((await rig.finish({ key: "again", prompts: ["collapse"] })).outcome).toBe("returned");
  expect((await clip).outcome).toBe("success");
  expect(await ends(rig)).toBe(1);
});
