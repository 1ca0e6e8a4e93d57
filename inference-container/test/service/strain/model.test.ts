import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { DISTORTIONS } from "../../support/service/faulty-model.ts";
import { movingSquare } from "../../support/video/moving-square.ts";
import { type Rig, startRig, until } from "../../support/service/running-service.ts";
import { watchHealth } from "../../support/service/watch-health.ts";

const FAULTY = new URL("../../support/service/faulty-model.ts", import.meta.url).href;
const EVERY = { fps: null, numFrames: null, maxFrames: null };
const INVALID = { outcome: "failed", retryable: true, problem: { code: "model_output_invalid" } };

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
    "by %s in the middle of a video fails the video by name, and nothing of it is stored",
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
    // Twice if the other task was in the engine too: the picture then runs alone.
    expect(["1", "2"]).toContain(await restarts(rig));
    await health.stop();
    expect(health.statuses.length).toBeGreaterThan(3);
    expect(new Set(health.statuses)).toEqual(new Set([200]));
  });
});
