import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Callback } from "../../../src/tasks/callback.ts";
import { SERVICE_TOKEN, type Rig, startRig, until } from "../../support/service/running-service.ts";

const bearer = { authorization: `Bearer ${SERVICE_TOKEN}` };

let rig: Rig;
beforeAll(async () => {
  rig = await startRig({ HEARTBEAT_SECONDS: "0.1", IN_FLIGHT: "2" });
});
afterAll(() => rig[Symbol.asyncDispose]());
afterEach(async () => {
  for (const route of ["input", "PUT", "outputs", "complete", "progress"]) rig.worker.failNext(route);
  // After each test, the task's place is free again and the next task succeeds.
  await until(async () => (await metrics()).includes("inference_in_flight 0"));
  expect((await rig.finish()).outcome).toBe("success");
});

const metrics = async (): Promise<string> => (await fetch(`${rig.service.url}/metrics`)).text();
const logged = (key: string, text: string): boolean =>
  rig.lines.some((line) => line.includes(`"${key}"`) && line.includes(text));

/** Counts the requests for an input; `bodyOf` makes its body. */
function serve(name: string, bodyOf: () => ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>) {
  const served = { times: 0 };
  rig.worker.answers.set(name, () => {
    served.times += 1;
    return new Response(bodyOf());
  });
  return { served, inputUrl: `${rig.worker.origin}/answers/${name}` };
}

const bright = (): Buffer => rig.worker.inputs.get("bright.png") ?? Buffer.alloc(0);

test("an input that trickles in is taken", async () => {
  const { inputUrl } = serve("slow.png", () => {
    const pieces = [...bright()].map((byte) => Uint8Array.of(byte)).values();
    return new ReadableStream({
      pull: async (stream) => {
        await sleep(1);
        const { value } = pieces.next();
        if (value === undefined) stream.close();
        else stream.enqueue(value);
      },
    });
  });
  expect((await rig.finish({ inputUrl })).outcome).toBe("success");
});

test("an input whose connection breaks each time is asked for three times, then a retryable failure", async () => {
  const { served, inputUrl } = serve("broken.png", () => {
    let sent = false;
    return new ReadableStream({
      pull: (stream) => {
        if (sent) throw new Error("The connection broke.");
        stream.enqueue(Uint8Array.from(bright().subarray(0, 20)));
        sent = true;
      },
    });
  });
  expect(await rig.finish({ inputUrl })).toMatchObject({
    outcome: "failed",
    retryable: true,
    problem: { code: "input_unavailable" },
  });
  expect(served.times).toBe(3);
});

test.for(["DELETE", "a lost lease"] as const)(
  "an input that never comes holds one place until %s frees it, and others pass meanwhile",
  async (how) => {
    const key = how === "DELETE" ? "endless-1" : "endless-2";
    const { served, inputUrl } = serve(`${key}.png`, () => new ReadableStream({}));
    expect((await rig.post(rig.worker.request({ key, inputUrl }))).status).toBe(202);
    await until(() => served.times === 1);
    expect((await rig.finish()).outcome).toBe("success");
    if (how === "DELETE") await rig.ask(`/v1/tasks/${key}`, { method: "DELETE", headers: bearer });
    else rig.worker.lost.add(key);
    await until(() => logged(key, '"outcome":"dropped"'));
    expect(rig.worker.completions.has(key)).toBe(false);
  },
);

test("a failing storage is retried for a time, then it is a retryable failure", async () => {
  await using impatient = await startRig({ PATIENCE_SECONDS: "0.5" });
  impatient.worker.failNext("PUT", ...Array.from({ length: 50 }, (_, i) => [500, 503, 429][i % 3] ?? 500));
  expect(await impatient.finish({ key: "unstored" })).toMatchObject({
    outcome: "failed",
    retryable: true,
    problem: { code: "output_unavailable" },
  });
  expect(impatient.worker.stored.has("unstored/masks/0.png")).toBe(false);
});

test.for([401, 404])(
  "a grant that the Worker refuses with %i drops the task: its lease ends it",
  async (status) => {
    const key = `refused-${status}`;
    rig.worker.failNext("outputs", status);
    await rig.post(rig.worker.request({ key }));
    await until(() => logged(key, '"outcome":"dropped"'));
    expect(rig.worker.completions.has(key)).toBe(false);
    const beats = rig.worker.progress.get(key)?.length;
    await sleep(300);
    expect(rig.worker.progress.get(key)?.length).toBe(beats);
  },
);

test.for([
  ["the lease's end", { deadline: 400, patience: 600_000 }],
  ["a time, though the lease lives on", { deadline: 600_000, patience: 400 }],
] as const)("a report that fails each time is repeated until %s", async ([, { deadline, patience }]) => {
  const callback = new Callback(`${rig.worker.origin}/callbacks/bounded`, "lease-token", patience);
  const lease = { deadline: Date.now() + deadline };
  const { signal } = new AbortController();
  rig.worker.failNext("outputs", ...Array.from({ length: 50 }, () => 500));
  rig.worker.failNext("complete", ...Array.from({ length: 50 }, () => 503));
  const file = {
    name: "preview.png",
    contentType: "image/png",
    size: 1,
    md5: "1B2M2Y8AsgTpgAmY7PhCfg==",
  } as const;
  await expect(callback.outputs({ files: [file] }, lease, signal)).rejects.toThrow("status 500");
  const problem = { code: "some_code", message: "Some sentence." };
  const failed = { outcome: "failed", problem, retryable: false } as const;
  await expect(callback.complete(failed, { deadline: Date.now() + deadline }, signal)).rejects.toThrow(
    "status 503",
  );
});

test.for([401, 403])(
  "a completion that the Worker refuses with %i is sent once, and logged",
  async (status) => {
    const key = `unheard-${status}`;
    rig.worker.failNext("complete", status);
    await rig.post(rig.worker.request({ key }));
    await until(() => logged(key, '"outcome":"unreported"'));
    expect(logged(key, "task_unreported")).toBe(true);
    expect(rig.worker.completions.has(key)).toBe(false);
  },
);

test("a completion without an answer is repeated until the lease ends, and no longer", async () => {
  rig.worker.failNext("progress", ...Array.from({ length: 50 }, () => 500));
  rig.worker.failNext("complete", ...Array.from({ length: 50 }, () => 500));
  await rig.post(rig.worker.request({ key: "silent", deadline: Date.now() + 1_500 }));
  await until(() => logged("silent", '"outcome"'));
  expect(rig.worker.completions.has("silent")).toBe(false);
});

test("a token that the Worker no longer takes ends the task at its next heartbeat", async () => {
  // More than one: the heartbeat of a task of before may come first.
  rig.worker.failNext("progress", ...Array.from({ length: 20 }, () => 401));
  await rig.post(rig.worker.request({ key: "rotated", prompts: ["slow"] }));
  await until(() => logged("rotated", '"lease_lost"'));
  expect(rig.worker.progress.get("rotated")).toHaveLength(1);
  expect(rig.worker.completions.has("rotated")).toBe(false);
});
