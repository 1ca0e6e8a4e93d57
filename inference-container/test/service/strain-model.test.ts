import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { DISTORTIONS } from "../support/faulty-model.ts";
import { movingSquare } from "../support/moving-square.ts";
import { type Rig, startRig, until } from "../support/running-service.ts";

const FAULTY = new URL("../support/faulty-model.ts", import.meta.url).href;
const EVERY = { fps: null, numFrames: null, maxFrames: null };
const INVALID = { outcome: "failed", retryable: true, problem: { code: "model_output_invalid" } };

/** Asks for the service's liveness all the time, and records the answers. */
function watchHealth(rig: Rig): { statuses: number[]; stop: () => Promise<void> } {
  const statuses: number[] = [];
  const stopped = new AbortController();
  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      statuses.push((await fetch(`${rig.service.url}/healthz`)).status);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  const watched = watch();
  return {
    statuses,
    stop: () => {
      stopped.abort();
      return watched;
    },
  };
}

const restarts = async (rig: Rig): Promise<string | undefined> =>
  /^inference_engine_restarts_total\{device="cpu"\} (\d+)/m.exec(
    await (await fetch(`${rig.service.url}/metrics`)).text(),
  )?.[1];

describe("a model that breaks its promises", () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({}, FAULTY);
    rig.worker.inputs.set("clip.mp4", movingSquare(1));
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  test.for(Object.keys(DISTORTIONS))("by %s gives no masks but a named failure", async (fault, { task }) => {
    const key = task.id;
    // Below 0.5, missing samples would count as set.
    const changes = { key, prompts: [fault], maskThreshold: 0.3, generatePreview: true };
    expect(await rig.finish(changes)).toMatchObject(INVALID);
    expect([...rig.worker.stored.keys()].filter((name) => name.startsWith(`${key}/`))).toEqual([]);
    expect((await rig.finish()).outcome).toBe("success");
    expect(await restarts(rig)).toBe("0");
  });

  test.for(["a row too few", "a box of NaN", "a prompt that nobody sent"])(
    "by %s in the middle of a clip fails the clip by name, and nothing of it is stored",
    async (fault, { task }) => {
      const key = task.id;
      const changes = { key, prompts: [`late ${fault}`], sampling: EVERY, generatePreview: true };
      expect(await rig.finishVideo(changes)).toMatchObject(INVALID);
      expect([...rig.worker.stored.keys()].filter((name) => name.startsWith(`${key}/`))).toEqual([]);
      expect((await rig.finishVideo()).outcome).toBe("success");
      expect(await restarts(rig)).toBe("0");
    },
  );

  test("is explained to the operator, and to the client without the details", async () => {
    const report = await rig.finish({ prompts: ["a prompt that nobody sent"] });
    expect(JSON.stringify(report)).not.toContain("promptIndex");
    expect(rig.lines.join("")).toContain("promptIndex 7 of 1 prompts");
  });
});

describe("an engine without memory", () => {
  test("fails the task whose array is too large, and continues", async () => {
    await using rig = await startRig({}, FAULTY);
    const pid = rig.service.enginePid();
    expect(await rig.finish({ prompts: ["allocation"] })).toMatchObject({
      outcome: "failed",
      retryable: true,
      problem: { code: "internal_error" },
    });
    expect(rig.lines.join("")).toContain("RangeError: Array buffer allocation failed");
    expect((await rig.finish()).outcome).toBe("success");
    expect(rig.service.enginePid()).toBe(pid);
  });

  test("is ended by it and comes back, while the service answers all along", async () => {
    // A heap that is soon full: the engine inherits the service's environment.
    vi.stubEnv("NODE_OPTIONS", "--max-old-space-size=64");
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    await using rig = await startRig({}, FAULTY);
    const health = watchHealth(rig);
    const [full, beside] = await Promise.all([
      rig.finish({ prompts: ["heap"] }),
      rig.finish({ key: "beside" }),
    ]);
    expect(full).toMatchObject({ outcome: "failed", retryable: true, problem: { code: "engine_crashed" } });
    expect(beside.outcome).toBe("success");
    await until(async () => (await fetch(`${rig.service.url}/readyz`)).ok);
    expect((await rig.finish()).outcome).toBe("success");
    // Twice if the other was beside it: it is then run alone.
    expect(["1", "2"]).toContain(await restarts(rig));
    await health.stop();
    expect(health.statuses.length).toBeGreaterThan(3);
    expect(new Set(health.statuses)).toEqual(new Set([200]));
  });
});

test("whatever goes wrong one after the other, the service answers and the next good task succeeds", async () => {
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
