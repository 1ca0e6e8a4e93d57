import { ModelDescription, PROTOCOL, ResultFormat } from "@segmentation/protocol";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { imageOutput } from "../support/service/reports.ts";
import { type Rig, SERVICE_TOKEN, startRig, until } from "../support/service/running-service.ts";

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig[Symbol.asyncDispose]());

test("a task's masks and preview are stored and reported [2.5-3 4.3-4]", async () => {
  const report = await rig.finish({ key: "whole", generatePreview: true });
  expect(report).toMatchObject({
    outcome: "success",
    output: {
      units: 1,
      preview: "preview.png",
      notice: null,
      masks: [{ maskIndex: 0, promptIndex: 0, confidence: 0.9, file: "masks/0.png" }],
    },
  });
  const mask = rig.worker.stored.get("whole/masks/0.png");
  const { data, info } = await sharp(mask).extractChannel(0).raw().toBuffer({ resolveWithObject: true });
  expect([info.width, info.height]).toEqual([80, 60]);
  expect([data[30 * 80 + 10], data[30 * 80 + 70]]).toEqual([0, 255]);
  expect((await sharp(rig.worker.stored.get("whole/preview.png")).metadata()).width).toBe(80);
});

test("masks count over all prompts in the request's order, by descending confidence, without empty ones [2.5-19]", async () => {
  const report = await rig.finish({ key: "many", prompts: ["bright", "stripes", "bright"] });
  const { masks } = imageOutput(report);
  expect(masks.map(({ maskIndex }) => maskIndex)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(masks.map(({ promptIndex }) => promptIndex)).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
  const stripes = masks.slice(1, 9).map(({ confidence }) => confidence);
  expect(stripes).toEqual(stripes.toSorted((a, b) => b - a));
  expect(stripes).not.toContain(0.75);
  for (const { file } of masks) expect(rig.worker.stored.has(`many/${file}`)).toBe(true);
});

test("finding nothing is a success without masks", async () => {
  const report = await rig.finish({ prompts: ["nothing"] });
  expect(report).toMatchObject({ outcome: "success", output: { masks: [], preview: null } });
});

test("objects below the threshold are left out [4.3-5]", async () => {
  const report = await rig.finish({ prompts: ["faint"], threshold: 0.31 });
  expect(report).toMatchObject({ outcome: "success", output: { masks: [] } });
});

test("a prompt outside the vocabulary leads to a notice if another could be served", async () => {
  const report = await rig.finish({ prompts: ["bright", "unicorn"] });
  expect(report).toMatchObject({
    outcome: "success",
    output: { notice: { code: "prompt_outside_vocabulary", message: '"unicorn" is not in the vocabulary.' } },
  });
});

test("a task fails where no prompt could be served", async () => {
  const report = await rig.finish({ prompts: ["unicorn", "griffin"] });
  expect(report).toMatchObject({
    outcome: "failed",
    retryable: false,
    problem: { code: "prompt_outside_vocabulary" },
  });
});

test("posting a key again starts nothing, while it runs and after it is done", async () => {
  const request = rig.worker.request({ key: "again", prompts: ["slow"] });
  const first = await rig.post(request);
  expect([first.status, await first.json()]).toEqual([202, { key: "again", state: "running" }]);
  const second = await rig.post(request);
  expect([second.status, await second.json()]).toEqual([202, { key: "again", state: "running" }]);
  await rig.worker.completed("again");
  await until(async () => {
    const state: unknown = await (await rig.ask("/v1/tasks/again")).json();
    return JSON.stringify(state) === '{"key":"again","state":"done"}';
  });
  expect(await (await rig.post(request)).json()).toEqual({ key: "again", state: "done" });
  expect(rig.worker.completions.get("again")).toHaveLength(1);
});

test("an unknown key is 404, and stopping it is no error", async () => {
  expect((await rig.ask("/v1/tasks/nobody")).status).toBe(404);
  expect((await rig.ask("/v1/tasks/nobody", { method: "DELETE", headers: bearer })).status).toBe(204);
});

const bearer = { authorization: `Bearer ${SERVICE_TOKEN}` };

test.for([
  ["no token", ""],
  ["a wrong token", "Bearer something else"],
  ["another scheme", `Basic ${SERVICE_TOKEN}`],
] as const)("%s is 401 on /v1", async ([, authorization]) => {
  for (const path of ["/v1/tasks/any", "/v1/model", "/v1/anything"]) {
    expect((await rig.ask(path, { headers: { authorization } })).status).toBe(401);
  }
});

test.for([
  ["a missing field", { prompts: undefined }, "prompts"],
  ["no prompt", { prompts: [] }, "prompts"],
  ["a key with a slash", { key: "a/b" }, "key"],
  ["a threshold over 1", { threshold: 1.5 }, "threshold"],
  ["an unknown field", { colour: "red" }, "body"],
] as const)("%s is 400 with its name", async ([, change, name]) => {
  const response = await rig.post({ ...rig.worker.request(), ...change });
  const body = await response.text();
  expect(response.status).toBe(400);
  expect(body).toContain(name);
  expect(body).not.toContain("secret");
});

test.for([
  ["a foreign input", { inputUrl: "http://169.254.169.254/latest/meta-data" }, "STORAGE_ORIGINS"],
  [
    "a foreign mask to correct",
    { priorMasks: [{ regionIndex: 0, url: "http://169.254.169.254/latest/meta-data" }] },
    "priorMasks.0.url",
  ],
  ["a foreign callback", { callbackUrl: "https://elsewhere.example/x" }, "CALLBACK_ORIGINS"],
] as const)("%s is 403, which the Worker waits out, with the setting's name", async ([, change, name]) => {
  const response = await rig.post({ ...rig.worker.request(), ...change });
  expect(response.status).toBe(403);
  expect(await response.text()).toContain(name);
});

test("a body that is not JSON is 400, and one over 256 KB is 413", async () => {
  const post = (body: string): Promise<Response> =>
    rig.ask("/v1/tasks", { method: "POST", headers: bearer, body });
  expect((await post("{")).status).toBe(400);
  const refused = await post(" ".repeat(262_145));
  expect(refused.status).toBe(413);
  expect(refused.headers.get("connection"), "what was not read keeps no connection").toBe("close");
});

test("the service describes its model, the provider and its state", async () => {
  const model = { id: "fixture", version: "1.0.0", provider: "cpu" };
  const described = ModelDescription.parse(await (await rig.ask("/v1/model")).json());
  expect(described).toMatchObject({
    ...model,
    family: "fixture",
    vocabulary: "open",
    attributes: true,
    protocol: PROTOCOL,
    formats: ResultFormat.options,
  });
  const ready = await fetch(`${rig.service.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { state: "READY", tasks: 0, model }]);
  expect((await fetch(`${rig.service.url}/healthz`)).status).toBe(200);
});

test.for(["/v1/tasks", "/v1/room"])(
  "a Worker of another protocol is 412 on %s, whatever it sends",
  async (path) => {
    const ask = (protocol: number): Promise<Response> =>
      rig.ask(path, { method: "POST", headers: { ...bearer, "x-protocol": String(protocol) }, body: "{" });
    const refused = await ask(PROTOCOL + 1);
    expect([refused.status, await refused.json()]).toMatchObject([412, { error: "protocol_mismatch" }]);
    expect((await ask(PROTOCOL)).status).toBe(400);
    expect(rig.lines.join()).toContain('"protocol_mismatch"');
  },
);

test("each stage of a task is measured and logged, without a URL or a token", async () => {
  await rig.finish({ key: "measured" });
  await until(() => rig.lines.some((line) => line.includes('"measured"')));
  const metrics = await (await fetch(`${rig.service.url}/metrics`)).text();
  const line = rig.lines.find((text) => text.includes('"measured"')) ?? "";
  const task = z.looseObject({ ms: z.record(z.string(), z.number()) }).parse(JSON.parse(line));
  const work = 'device="cpu",lane="interactive",type="image"';
  for (const stage of ["queue", "fetch", "wait", "decode", "infer", "post", "encode", "upload", "commit"]) {
    expect(metrics).toMatch(new RegExp(`inference_stage_seconds_count\\{stage="${stage}",${work}\\} [1-9]`));
    expect(task.ms[stage]).toBeGreaterThanOrEqual(0);
  }
  expect(task).toMatchObject({
    msg: "task",
    key: "measured",
    device: "cpu",
    type: "image",
    lane: "interactive",
    outcome: "success",
    masks: 1,
  });
  expect(metrics).toMatch(new RegExp(`inference_tasks_total\\{outcome="success",code="",${work}\\} [1-9]`));
  expect(metrics).toMatch(new RegExp(`inference_model_seconds_count\\{${work}\\} [1-9]`));
  expect(rig.lines.join("")).not.toMatch(/signature=|lease-token|\/inputs\//);
});
