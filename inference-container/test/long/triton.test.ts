import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fill, OUTPUTS } from "@segmentation/protocol";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Stage, Usage } from "../../src/device/usage.ts";
import { infer } from "../../src/models/kserve/infer.ts";
import { writeRequest } from "../../src/models/kserve/request.ts";
import type { Outputs } from "../../src/models/kserve/response.ts";
import { ModelServer } from "../../src/models/kserve/server.ts";
import { loadModel } from "../../src/models/load.ts";
import type { Model } from "../../src/models/model.ts";
import { Semaphore } from "../../src/semaphore.ts";
import { fixtureFolder } from "../models/kserve/fixture-folder.ts";
import { ask, blue, expectOverlap, green, picture, red, redBelow } from "../models/fixture-scene.ts";
import { MasksJson } from "../support/masks/masks-json.ts";
import { movingSquare } from "../support/video/moving-square.ts";
import { type Rig, startRig, until } from "../support/service/running-service.ts";
import { checkModel } from "../../../scripts/models/check.ts";
import { describeServer } from "../../../scripts/models/describe-server.ts";
import { MODEL, startTriton, type Triton } from "../support/triton/start-triton.ts";

const LOADER = new URL("../../src/models/load.ts", import.meta.url).href;
const INSTANCES = 3;
/** The number of requests of each priority that Triton lets wait. */
const QUEUE = 2;
/** Longer than any test waits. */
const HOUR_MS = 3_600_000;

let triton: Triton;
let folder: string;
beforeAll(async () => {
  triton = await startTriton({ instances: INSTANCES, queue: QUEUE });
});

afterAll(() => triton[Symbol.asyncDispose]());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kserve-"));
  await fixtureFolder(folder, triton.origin, { server: { model: MODEL, concurrency: 2 } });
});

afterEach(async () => {
  await triton.release("held");
  await rm(folder, { recursive: true });
});

const CLOSE = { box: 0.97, mask: 0.95 };

describe("a model at Triton", () => {
  let model: Model;
  beforeEach(async () => {
    model = await loadModel(folder);
  });
  afterEach(() => model.close());

  it("is described and checked", async () => {
    const url = `${triton.origin}/v2/models/${MODEL}`;
    const report = await checkModel(
      { folder, provider: "cpu", cpuNodes: true },
      new AbortController().signal,
    );
    expect(report).toMatchObject({ usable: true });
    await rm(join(folder, "manifest.json"));
    await expect(describeServer(folder, { force: false, server: `${url}s` })).rejects.toThrow("404");
    await expect(describeServer(folder, { force: false, server: url })).resolves.toMatchObject({});
  });

  it("is not ready under a name that Triton doesn't know, and the reason says what to correct", async () => {
    const server = { model: "another", concurrency: 2 };
    await fixtureFolder(folder, triton.origin, { server });
    await expect(loadModel(folder)).rejects.toThrow(
      `v2/models/another/ready answered 400. Check the model's name and version in the manifest.`,
    );
  });

  it("finds prompted objects in any script, and nothing in an empty picture", async () => {
    const prompts = ["blue", "red", "ein größerer Hund 犬", "green"];
    const { instances } = await model.segment({ ...picture, contentHash: "0abc" }, ask(...prompts));
    expect(instances.map(({ promptIndex }) => promptIndex)).toEqual([0, 1, 1, 3]);
    for (const [i, rectangle] of [blue, red, redBelow, green].entries())
      expectOverlap(instances[i], picture, rectangle, i === 2 ? 0.7 : 0.9, CLOSE);
    expect((await triton.seen()).at(-2)).toMatchObject({ prompts, hash: "0abc" });
    expect((await model.segment(picture, ask("mauve"))).instances).toEqual([]);
  });

  it("draws regions, with words and without", async () => {
    const box = [blue[0], blue[1], blue[2], blue[3]] as const;
    const points = [{ x: 100, y: 60, label: 1 }] as const;
    const regions = [{ box }, { points }];
    for (const prompts of [["red"], []]) {
      const found = await model.segment(picture, { ...ask(...prompts), regions });
      expect(found.instances).toHaveLength(2 * prompts.length);
      const [drawn] = found.regions ?? [];
      expect(found.regions).toHaveLength(2);
      const inside = drawn?.mask.logits.filter((logit) => logit > 0).length ?? 0;
      const area = (box[2] - box[0]) * (box[3] - box[1]);
      expect(inside / 288 ** 2).toBeCloseTo(area / (picture.width * picture.height), 2);
    }
    expect((await triton.seen()).at(-2)?.clicks).toEqual([
      [0, box[0], box[1], 2],
      [0, box[2], box[3], 3],
      [1, 100, 60, 1],
    ]);
  });
});

describe("a request to Triton", () => {
  let semaphore: Semaphore;
  beforeEach(() => {
    semaphore = new Semaphore(16);
  });

  const server = (): ModelServer =>
    new ModelServer({ origin: triton.origin, model: MODEL, concurrency: 16 }, undefined);
  const asked = (prompts: readonly string[], more: object = {}) => ({
    picture,
    prompts,
    threshold: 0.5,
    contentHash: null,
    regions: [],
    timeoutMs: HOUR_MS,
    ...more,
  });
  const send = (prompts: readonly string[], more: object = {}, usage = new Usage()): Promise<Outputs> => {
    const options = { server: server(), semaphore, most: 20, patienceMs: HOUR_MS, lingerMs: HOUR_MS };
    return infer(options, () => asked(prompts, more), usage);
  };
  const begun = async (since = 0): Promise<number> =>
    (await triton.seen()).slice(since).filter(({ what }) => what === "began").length;
  /**
   * Occupies each of the model's instances with a request that waits for the release of "held", the first one for that
   * of `first`.
   */
  const occupy = async (first = "held"): Promise<Promise<Outputs>[]> => {
    const before = await begun();
    const words = Array.from({ length: INSTANCES }, (_, i) => (i === 0 ? first : "held"));
    for (const word of words) await triton.hold(word);
    const occupied = words.map((word) => send([word]));
    await until(async () => (await begun()) === before + INSTANCES);
    return occupied;
  };

  it("is served by its lane", async () => {
    const occupied = await occupy("first");
    const lanes = ["trial", "bulk", "interactive"] as const;
    for (const [waiting, lane] of lanes.entries()) {
      occupied.push(send(["red"], { task: { key: lane, lane } }));
      await until(async () => (await triton.waiting()) === waiting + 1);
    }
    await triton.release("first");
    await Promise.all(occupied.slice(INSTANCES));
    const ended = (await triton.seen()).filter(({ what }) => what === "ended");
    expect(ended.slice(-3).map(({ id }) => id)).toEqual(["interactive", "bulk", "trial"]);
    await triton.release("held");
    await Promise.all(occupied);
  });

  it("that finds the queue full waits, and is sent again", async () => {
    const occupied = await occupy();
    const task = { key: "queued", lane: "bulk" };
    for (let waiting = 1; waiting <= QUEUE; waiting += 1) {
      occupied.push(send(["red"], { task }));
      await until(async () => (await triton.waiting()) === waiting);
    }
    const full = writeRequest(asked(["red"], { task }));
    const refused = await server().infer(full.bytes, full.headerBytes, AbortSignal.timeout(HOUR_MS));
    expect([refused.status, await refused.text()]).toEqual([503, expect.stringContaining("queue size")]);
    const stages: Stage[] = [];
    const late = send(["red"], { task }, new Usage(undefined, (stage) => stages.push(stage)));
    await until(() => stages.filter((stage) => stage === "model").length > 1);
    await triton.release("held");
    expect((await late).count).toBe(2);
    await Promise.all(occupied);
  });

  it("is taken out of the queue once the service can no longer use its answer", async () => {
    const occupied = await occupy();
    const { bytes, headerBytes } = writeRequest(asked(["red"], { timeoutMs: 100 }));
    const answer = await server().infer(bytes, headerBytes, AbortSignal.timeout(HOUR_MS));
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining("timeout expired")]);
    await triton.release("held");
    await Promise.all(occupied);
  });

  it("keeps its place until Triton has answered, even if it was canceled", async () => {
    await triton.hold("held");
    semaphore = new Semaphore(2);
    const before = (await triton.seen()).length;
    const gone = new AbortController();
    const held = writeRequest(asked(["held"]));
    const closed = server().infer(held.bytes, held.headerBytes, gone.signal);
    await until(async () => (await begun(before)) === 1);
    gone.abort();
    await expect(closed).rejects.toThrow();

    const working: AbortController[] = [];
    const left = Array.from({ length: 4 }, () => {
      const controller = new AbortController();
      const entered = (stage: Stage): void => void (stage === "model" && working.push(controller));
      return send(["held"], {}, new Usage(undefined, entered, controller.signal));
    });
    await until(async () => (await begun(before)) === INSTANCES);
    for (const controller of working) controller.abort(new Error("cancelled"));
    const ends = Promise.allSettled(left);
    await Promise.allSettled(left.slice(0, 2));
    // A task that got a place in the meantime would be in the queue before this one.
    const next = server().infer(held.bytes, held.headerBytes, AbortSignal.timeout(HOUR_MS));
    await until(async () => (await triton.waiting()) > 0);
    expect(await triton.waiting()).toBe(1);
    await triton.release("held");
    expect((await ends).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
      "fulfilled",
      "fulfilled",
    ]);
    expect((await next).status).toBe(200);
    expect((await triton.seen()).slice(before).some(({ cancelled }) => cancelled)).toBe(false);
  });

  it("is retried once, by another process, when its model's process dies", async () => {
    await triton.hold("held");
    const before = (await triton.seen()).length;
    const left = send(["held"]);
    await until(async () => (await begun(before)) === 1);
    const [first] = (await triton.seen()).slice(before);
    process.kill(first?.pid ?? Number.NaN, "SIGKILL");
    await until(async () => (await begun(before)) === 2);
    await triton.release("held");
    expect((await left).count).toBe(0);
    expect((await triton.seen()).at(-1)?.pid).not.toBe(first?.pid);
    // Triton does not start the process again.
    await triton.kill();
    await triton.start();
  });

  it("is sent again to a Triton that was killed under it and started again", async () => {
    await triton.hold("held");
    const before = (await triton.seen()).length;
    const left = send(["held"]);
    await until(async () => (await begun(before)) === 1);
    await triton.kill();
    await triton.release("held");
    await triton.start();
    expect((await left).count).toBe(0);
    expect(await begun(before)).toBe(2);
  });
});

describe("a service before Triton", () => {
  let rig: Rig;
  let inputUrl: string;
  const launch = async (): Promise<void> => {
    rig = await startRig({ MODEL_FOLDER: folder }, LOADER);
    const { width, height, rgb } = picture;
    const scene = sharp(rgb, { raw: { width, height, channels: 3 } }).png();
    rig.worker.inputs.set("scene.png", await scene.toBuffer());
    inputUrl = `${rig.worker.origin}/inputs/scene.png`;
  };
  afterEach(() => rig[Symbol.asyncDispose]());
  const readiness = async (): Promise<string> => (await rig.ask("/readyz")).text();

  it("segments a picture by words", async () => {
    await launch();
    await rig.service.ready;
    const task = { key: "job.task.9", lane: "trial", inputUrl, prompts: ["red", "mauve"] } as const;
    expect(await rig.finish(task)).toMatchObject({
      outcome: "success",
      output: { masks: [{ promptIndex: 0 }, { promptIndex: 0 }], notice: null },
    });
    expect((await triton.seen()).at(-1)).toMatchObject({ what: "ended", id: "job.task.9" });
    const mask = rig.worker.stored.get(`job.task.9/${fill(OUTPUTS.image.masks.name, { index: 0 })}`);
    const { data, info } = await sharp(mask).toColourspace("b-w").raw().toBuffer({ resolveWithObject: true });
    const [x1, y1, x2, y2] = red;
    const at = (x: number, y: number): number | undefined => data[(y * info.width + x) * info.channels];
    const corners = [at(x1 + 3, y1 + 3), at(x2 - 3, y2 - 3), at(x1 - 3, y1 + 3), at(x2 + 3, y2 - 3)];
    expect(corners).toEqual([255, 255, 0, 0]);
  });

  it("follows a video's object from frame to frame", async () => {
    await launch();
    await rig.service.ready;
    rig.worker.inputs.set("clip.mp4", movingSquare(2));
    const completion = await rig.finishVideo({ key: "job.clip.1", prompts: ["square"] });
    expect(completion).toMatchObject({ outcome: "success", output: { units: 12, framesWithMasks: 12 } });
    const json = String(rig.worker.stored.get(`job.clip.1/${OUTPUTS.video.masks.name}`));
    const { frames } = MasksJson.parse(JSON.parse(json));
    expect(new Set(frames.flatMap(({ objects }) => objects.map(({ objectId }) => objectId))).size).toBe(1);
  });

  it("takes no task while Triton is away, and continues once it is back", async () => {
    await triton.kill();
    await launch();
    expect(await readiness()).toContain('"STARTING"');
    await triton.start();
    await rig.service.ready;
    await triton.kill();
    await until(async () => (await readiness()).includes('"UNABLE"'));
    const refused = await rig.post(rig.worker.request({ inputUrl, prompts: ["red"] }));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    await triton.start();
    await until(async () => (await readiness()).includes('"READY"'));
    expect(await rig.finish({ inputUrl, prompts: ["red"] })).toMatchObject({ outcome: "success" });
  });
});
