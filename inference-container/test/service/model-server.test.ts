import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fill, OUTPUTS } from "@segmentation/protocol";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fixtureFolder } from "../models/kserve/fixture-folder.ts";
import { picture, red } from "../models/fixture-scene.ts";
import { MasksJson } from "../support/masks/masks-json.ts";
import { movingSquare } from "../support/video/moving-square.ts";
import { find } from "../support/model-server/fake-model.ts";
import { type FakeServer, startPlayedServer } from "../support/model-server/fake-model-server.ts";
import { type Rig, startRig, until } from "../support/service/running-service.ts";
import { isLong } from "../support/form.ts";

const LOADER = new URL("../../src/models/load.ts", import.meta.url).href;
const TOKEN = "sesame-open";

let folder: string;
let server: FakeServer;
let rig: Rig;
let inputUrl: string;
async function play(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "kserve-"));
  server = await startPlayedServer();
  server.token = TOKEN;
  await fixtureFolder(folder, server.origin);
}
async function end(): Promise<void> {
  await rig[Symbol.asyncDispose]();
  await server.close();
  await rm(folder, { recursive: true });
}

async function launch(more: Readonly<Record<string, string>> = {}): Promise<void> {
  // The service checks its settings, its engine reads the secret from its own environment.
  process.env["MODEL_SERVER_TOKEN"] = TOKEN;
  try {
    rig = await startRig({ MODEL_FOLDER: folder, MODEL_SERVER_TOKEN: TOKEN, ...more }, LOADER);
  } finally {
    delete process.env["MODEL_SERVER_TOKEN"];
  }
  const { width, height, rgb } = picture;
  const scene = await sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
  rig.worker.inputs.set("scene.png", scene);
  inputUrl = `${rig.worker.origin}/inputs/scene.png`;
}

async function start(more: Readonly<Record<string, string>> = {}): Promise<void> {
  await launch(more);
  await rig.service.ready;
  server.seen.length = 0;
}

const readiness = async (): Promise<{ status: number; state: unknown }> => {
  const answer = await rig.ask("/readyz");
  const body: unknown = await answer.json();
  return {
    status: answer.status,
    state: typeof body === "object" && body !== null && "state" in body && body.state,
  };
};

describe("a service whose model is on a server", () => {
  beforeAll(async () => {
    await play();
    await start();
  });
  afterAll(end);
  beforeEach(() => {
    server.infer = find;
    server.seen.length = 0;
  });

  test("a picture goes to the server, and its masks to storage", async () => {
    const task = { inputUrl, prompts: ["red", "mauve"], lane: "trial" as const, key: "job.task.9" };
    const completion = await rig.finish(task);
    expect(completion).toMatchObject({
      outcome: "success",
      output: { masks: [{ promptIndex: 0 }, { promptIndex: 0 }], notice: null },
    });
    expect(server.seen).toMatchObject([
      { id: "job.task.9", parameters: { priority: 3, timeout: 108_000_000 }, prompts: ["red", "mauve"] },
    ]);
    expect(server.seen[0]?.contentHash).toMatch(/^[0-9a-f]{64}$/);
    const mask = rig.worker.stored.get(`job.task.9/${fill(OUTPUTS.image.masks.name, { index: 0 })}`);
    const { data, info } = await sharp(mask).toColourspace("b-w").raw().toBuffer({ resolveWithObject: true });
    const [x1, y1, x2, y2] = red;
    const at = (x: number, y: number): number | undefined => data[(y * info.width + x) * info.channels];
    expect([at(x1 + 3, y1 + 3), at(x2 - 3, y2 - 3), at(x1 - 3, y1 + 3), at(x2 + 3, y2 - 3)]).toEqual([
      255, 255, 0, 0,
    ]);
    expect(rig.lines.join("\n")).not.toContain(TOKEN);
    expect(readFileSync(`/proc/${rig.service.enginePid()}/cmdline`, "utf8")).not.toContain(TOKEN);
    expect(await (await rig.ask("/metrics")).text()).toContain('provider="kserve"} 1');
  });

  test("a video's frames go to the server as many at once as the manifest says, and its object keeps one id", async () => {
    let [inside, most] = [0, 0];
    const full = Promise.withResolvers<void>();
    server.infer = async (seen) => {
      inside += 1;
      most = Math.max(most, inside);
      if (inside === 4) full.resolve();
      await full.promise;
      inside -= 1;
      return find({ ...seen, prompts: ["white"] });
    };
    rig.worker.inputs.set("clip.mp4", movingSquare(2));
    const key = "job.clip.1";
    const completion = await rig.finishVideo({ key, prompts: ["square"] });
    expect(completion).toMatchObject({ outcome: "success", output: { units: 12, framesWithMasks: 12 } });
    expect(most).toBe(4);
    const json = String(rig.worker.stored.get(`${key}/${OUTPUTS.video.masks.name}`));
    const { frames } = MasksJson.parse(JSON.parse(json));
    expect(new Set(frames.flatMap(({ objects }) => objects.map(({ objectId }) => objectId))).size).toBe(1);
  });

  test("a server without room hands the task back, which costs no attempt", async () => {
    server.infer = () => ({ status: 429, headers: { "retry-after": "3600" } });
    expect(await rig.finish({ inputUrl, prompts: ["red"] })).toEqual({ outcome: "returned" });
    server.infer = find;
    expect(await rig.finish({ inputUrl, prompts: ["red"] })).toMatchObject({ outcome: "success" });
  });

  test.runIf(isLong)(
    "while the server is not ready the service is not either, and takes no task",
    async () => {
      expect(await readiness()).toEqual({ status: 200, state: "READY" });
      server.health.model = 400;
      await until(async () => (await readiness()).status === 503);
      expect(await readiness()).toEqual({ status: 503, state: "UNABLE" });
      const refused = await rig.post(rig.worker.request({ inputUrl, prompts: ["red"] }));
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(
        rig.lines.some((line) => line.includes('"msg":"model_unable"') && line.includes("answered 400")),
      ).toBe(true);
      server.health.model = 200;
      await until(async () => (await readiness()).status === 200);
      expect(await rig.finish({ inputUrl, prompts: ["red"] })).toMatchObject({ outcome: "success" });
    },
  );

  test("a canceled task ends at once, and a server that doesn't notice may finish its answer", async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    server.infer = async (seen) => {
      await answered;
      return find(seen);
    };
    const request = rig.worker.request({ inputUrl, prompts: ["red"] });
    await rig.post(request);
    await until(() => server.seen.length === 1);
    await rig.ask(`/v1/tasks/${request.key}`, { method: "DELETE" });
    server.infer = find;
    expect(await rig.finish({ inputUrl, prompts: ["red"] })).toMatchObject({ outcome: "success" });
    expect(server.seen[0]?.gone.aborted).toBe(false);
    answer();
  });

  test("an impossible answer fails the task, and the log names the fault", async () => {
    server.infer = (seen) => ({ ...find(seen), changed: (header) => ({ ...header, outputs: [] }) });
    expect(await rig.finish({ inputUrl, prompts: ["red"] })).toMatchObject({
      outcome: "failed",
      problem: { code: "model_output_invalid" },
    });
    expect(
      rig.lines.some((line) => line.includes("engine_error") && line.includes("bytes more than its outputs")),
    ).toBe(true);
  });
});

describe("a separate service", () => {
  beforeEach(play);
  afterEach(end);

  test("a server that takes too long fails the task alone: the engine continues", async () => {
    await start({ TASK_TIMEOUT_SECONDS: "2" });
    const engine = rig.service.enginePid();
    const hung: string[] = [];
    server.infer = (seen) => {
      if (seen.prompts[0] !== "green") return find(seen);
      hung.push(seen.id ?? "");
      return new Promise<never>(() => undefined);
    };
    const stuck = rig.finish({ inputUrl, prompts: ["green"] });
    await until(() => hung.length === 1);
    expect(await rig.finish({ inputUrl, prompts: ["red"] })).toMatchObject({ outcome: "success" });
    expect(await stuck).toMatchObject({ outcome: "failed", problem: { code: "engine_timeout" } });
    expect(rig.service.enginePid()).toBe(engine);
  });

  test("the service waits for a server that starts later", async () => {
    await server.close();
    await launch();
    expect(await readiness()).toEqual({ status: 503, state: "STARTING" });
    await server.open();
    await rig.service.ready;
    expect(await readiness()).toEqual({ status: 200, state: "READY" });
  });
});
