import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { fixtureFolder } from "../models/sam3/fixture-folder.ts";
import { type Rig, startRig } from "../support/service/running-service.ts";

const LOADER = new URL("../../src/models/load.ts", import.meta.url).href;
/** No machine has this device: CUDA can't be used there, with or without its libraries. */
const WITHOUT_CUDA = { EXECUTION_PROVIDER: "cuda", DEVICES: "999" };

let folder: string;
let rig: Rig;
beforeAll(async () => {
  folder = await fixtureFolder(await mkdtemp(join(tmpdir(), "provider-")));
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => rig[Symbol.asyncDispose]());

const linesOf = (msg: string): string[] => rig.lines.filter((line) => line.includes(`"msg":"${msg}"`));

describe("without a usable CUDA", () => {
  test("the start ends with what to do", async () => {
    rig = await startRig({ MODEL_FOLDER: folder, ...WITHOUT_CUDA }, LOADER);
    await expect(rig.service.ready).rejects.toThrow(
      /^CUDA device 999: .*CUDA can't be used .*CUDA 13 .*cuDNN 9.*CPU_FALLBACK=true/,
    );
    expect((await fetch(`${rig.service.url}/readyz`)).status).toBe(503);
    expect(linesOf("ready")).toEqual([]);
  });

  test("and CPU_FALLBACK is set, the CPU serves, a warning says why, and the provider in use is reported", async () => {
    rig = await startRig({ MODEL_FOLDER: folder, ...WITHOUT_CUDA, CPU_FALLBACK: "true" }, LOADER);
    await rig.service.ready;
    const model = { id: "sam3", provider: "cpu" };
    expect(await (await fetch(`${rig.service.url}/readyz`)).json()).toMatchObject({ state: "READY", model });
    const described: unknown = await (await rig.ask("/v1/model")).json();
    expect(described).toMatchObject(model);
    expect(described).not.toHaveProperty("fallback");
    const metrics = await (await fetch(`${rig.service.url}/metrics`)).text();
    expect(metrics).toMatch(/^inference_model_info\{id="sam3",version="[\d.]+",provider="cpu"\} 1$/m);
    expect(metrics).not.toContain('provider="cuda"');
    expect(JSON.parse(linesOf("ready")[0] ?? "")).toMatchObject(model);
    expect(JSON.parse(linesOf("cpu_fallback")[0] ?? "")).toMatchObject({
      level: 40,
      device: "999",
      reason: expect.stringMatching(/^CUDA can't be used on device 999 \(.+\)\.$/),
    });
    expect((await rig.finish({ prompts: ["cup"] })).outcome).toBe("success");
  });
});

test("a service on the CPU says so, and warns of nothing", async () => {
  rig = await startRig({ CPU_FALLBACK: "true" });
  expect(await (await fetch(`${rig.service.url}/metrics`)).text()).toContain(
    'inference_model_info{id="fixture",version="1.0.0",provider="cpu"} 1\n',
  );
  expect(linesOf("ready")).toHaveLength(1);
  expect(linesOf("cpu_fallback")).toEqual([]);
});
