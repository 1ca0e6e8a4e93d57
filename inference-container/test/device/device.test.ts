import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Device } from "../../src/device/device.ts";
import { Held } from "../../src/device/held.ts";
import type { Feeds, HeldTensor, Run } from "../../src/device/messages.ts";
import { type Stage, Usage } from "../../src/device/usage.ts";
import { withInt8Products } from "../../src/models/fetch/quantize.ts";
import { OnnxGraph } from "../../src/onnx/graph-writer.ts";
import { sameGraph, written } from "../support/device/same-graph.ts";
import { floatsOf, numbersOf } from "../support/device/runs.ts";

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "device-"));
});
afterAll(() => rm(scratch, { recursive: true }));

/** Shared by all tests that don't close theirs: each device is a thread with its own ONNX Runtime. */
let device = new Device();
afterAll(() => device.close());

async function loaded(graph: Uint8Array, cpuNodes = true): Promise<number> {
  const path = await written(scratch, crypto.randomUUID(), graph);
  const options = { provider: "cpu", device: 0, cpuNodes, threads: 1 } as const;
  return (await device.load({ path, options })).id;
}

type Told = Partial<Pick<Run, "hold" | "followed" | "outputs">>;

function run(graph: number, feeds: Feeds, options: Told = {}, usage = new Usage()): Promise<Feeds> {
  const outputs = ["same"];
  return device.run({ graph, feeds, outputs, hold: false, followed: false, ...options }, usage);
}

/** The numbers of a result that was delivered here. */
function numbers({ same: values }: Feeds): number[] {
  if (values === undefined || !("dims" in values)) throw new Error("The result did not come here.");
  return numbersOf(values);
}

/** A result that stayed on the device. */
function held({ same: tensor }: Feeds): HeldTensor {
  if (tensor === undefined || !("held" in tensor))
    throw new Error("The result did not stay with the device.");
  return tensor;
}

/** Rows that no other run has. */
function rowsOfRun(i: number): Feeds {
  return { x: floatsOf([[i, -i]]) };
}

const six = [1, 2, 3, 4, 5, 6];

it("adds up products of eight-bit numbers without an overflow", async () => {
  const graph = new OnnxGraph();
  // Each sum of two products is 255 · 127 · 2, more than 16 bits hold.
  const weights = graph.floats([64, 16], new Float32Array(64 * 16).fill(1));
  graph.node("MatMul", [graph.input("x", [1, 64]), weights], {}, "same");
  graph.output("same", [1, 16]);
  const file = await loaded(withInt8Products(graph.file("sums")));
  const results = await run(file, { x: floatsOf([Array<number>(64).fill(1)]) });
  for (const sum of numbers(results)) expect(sum).toBeCloseTo(64, 3);
});

it("opens no graph with nodes that ONNX Runtime runs on the CPU where these are refused", async () => {
  // All nodes run on the CPU: no other provider is available everywhere.
  await expect(loaded(sameGraph(), false)).rejects.toThrow("nodes that are assigned to the default CPU EP");
});

describe("simultaneous runs on a device", () => {
  it("each get their own results", async () => {
    const graph = await loaded(sameGraph());
    const results = await Promise.all(six.map((i) => run(graph, rowsOfRun(i))));
    expect(results.map(numbers)).toEqual(six.map((i) => [i, -i]));
  });

  it("take tensors that stayed on the device unchanged", async () => {
    const [first, second] = [await loaded(sameGraph()), await loaded(sameGraph())];
    const features = await Promise.all(six.map((i) => run(first, rowsOfRun(i), { hold: true })));
    expect(features.map((all) => held(all).size)).toEqual(six.map(() => 8));
    const results = await Promise.all(features.map((all) => run(second, { x: held(all) })));
    expect(results.map(numbers)).toEqual(six.map((i) => [i, -i]));
  });
});

describe("results that stay with the device", () => {
  it("stay until the last user releases them", async () => {
    const graph = await loaded(sameGraph());
    const same = held(await run(graph, rowsOfRun(1), { hold: true }));
    const used = async () => numbers(await run(graph, { x: same }));
    const features = new Held(device, { same });
    expect(features.size).toBe(8);
    {
      using shared = features.share();
      expect(shared.tensors["same"]).toBe(same);
    }
    expect(await used()).toEqual([1, -1]);
    features[Symbol.dispose]();
    await expect(used()).rejects.toThrow("was released before it was used");
  });
});

describe("an abandoned run", () => {
  it("is taken out while it waits, and the others continue", async () => {
    const graph = await loaded(sameGraph());
    const [controller, stages] = [new AbortController(), new Array<Stage>()];
    const usage = new Usage(undefined, (stage) => stages.push(stage), controller.signal);
    // The thread would begin with the second run before it receives the cancellation.
    const [first] = Array.from({ length: 50 }, () => run(graph, rowsOfRun(1)));
    const gone = run(graph, { x: floatsOf([[1, 2, 3]]) }, {}, new Usage(usage));
    controller.abort(new Error("cancelled"));
    await expect(gone).rejects.toThrow("cancelled");
    expect(stages).toEqual(["waiting", "busy"]);
    expect(numbers((await first) ?? {})).toEqual([1, -1]);
    await expect(run(graph, rowsOfRun(2), {}, new Usage(usage))).rejects.toThrow("cancelled");
    expect(numbers(await run(graph, rowsOfRun(3)))).toEqual([3, -3]);
  });
});

describe("a run that fails", () => {
  it("is rejected by the runtime's reason, and the device continues", async () => {
    const graph = await loaded(sameGraph());
    const wrong = run(graph, { x: floatsOf([[1, 2, 3]]) });
    const right = run(graph, rowsOfRun(1));
    await expect(wrong).rejects.toThrow("invalid dimensions for input: x");
    expect(numbers(await right)).toEqual([1, -1]);
  });

  it("names a tensor that was released before", async () => {
    const graph = await loaded(sameGraph());
    const same = held(await run(graph, rowsOfRun(1), { hold: true }));
    const before = run(graph, { x: same });
    device.release([same]);
    expect(numbers(await before)).toEqual([1, -1]);
    await expect(run(graph, { x: same })).rejects.toThrow(
      'The tensor for "x" was released before it was used.',
    );
    expect(numbers(await run(graph, rowsOfRun(2)))).toEqual([2, -2]);
  });

  it("is over for its work", async () => {
    const graph = await loaded(sameGraph());
    const stages: Stage[] = [];
    const usage = new Usage(undefined, (stage) => stages.push(stage));
    await expect(run(graph, { x: floatsOf([[1]]) }, {}, usage)).rejects.toThrow();
    expect(stages).toEqual(["waiting", "model", "busy"]);
  });

  it("leaves nothing waiting where its feeds can't cross", async () => {
    const graph = await loaded(sameGraph());
    const x = floatsOf([[1, 2]]);
    const once = { graph, feeds: { x }, outputs: ["same"], hold: false, followed: false };
    const stages: Stage[] = [];
    await device.run(once, new Usage(), [x.bytes.buffer]);
    const again = device.run(once, new Usage(undefined, (stage) => stages.push(stage)), [x.bytes.buffer]);
    await expect(again).rejects.toThrow();
    expect(stages.at(-1) ?? "busy").toBe("busy");
  });
});

describe("a graph that can't be opened", () => {
  it("is reported with the runtime's reason, and the device continues", async () => {
    await expect(loaded(new Uint8Array([1, 2, 3]))).rejects.toThrow(/protobuf/i);
    const graph = await loaded(sameGraph());
    expect(numbers(await run(graph, rowsOfRun(1)))).toEqual([1, -1]);
  });
});

describe("a buffer", () => {
  it("is gone after a move, and stays otherwise", async () => {
    const graph = await loaded(sameGraph());
    const [moved, copied] = [floatsOf([[1, 2]]), floatsOf([[3, 4]])];
    const asked = { graph, outputs: ["same"], hold: false, followed: false };
    const first = device.run({ ...asked, feeds: { x: moved } }, new Usage(), [moved.bytes.buffer]);
    const second = device.run({ ...asked, feeds: { x: copied } }, new Usage());
    expect([moved.bytes.length, copied.bytes.length]).toEqual([0, 8]);
    expect(numbers(await first)).toEqual([1, 2]);
    expect(numbers(await second)).toEqual([3, 4]);
  });
});

describe("a usage's report about its runs", () => {
  it("states their time on the device, and the wait meanwhile", async () => {
    const graph = await loaded(sameGraph());
    const stages: Stage[] = [];
    const whole = new Usage(undefined, (stage) => stages.push(stage));
    const parts = [new Usage(whole), new Usage(whole)];
    await Promise.all(parts.map((part, i) => run(graph, rowsOfRun(i), {}, part)));
    expect(stages).toEqual(["waiting", "waiting", "model", "waiting", "model", "busy"]);
    const [one = 0, other = 0] = parts.map((part) => part.ms);
    expect(Math.min(one, other)).toBeGreaterThan(0);
    expect(whole.ms).toBe(one + other);
    expect(whole.waitedMs).toBeGreaterThan(0);
  });
});

describe("a device", () => {
  beforeEach(() => {
    device = new Device();
  });
  afterEach(() => device.close());

  it("finishes requested work before it is closed", async () => {
    const graph = await loaded(sameGraph());
    let done = 0;
    const asked = six.map(async (i) => {
      const results = await run(graph, rowsOfRun(i));
      done += 1;
      return numbers(results);
    });
    await device.close();
    expect(done).toBe(six.length);
    expect(await Promise.all(asked)).toEqual(six.map((i) => [i, -i]));
  });

  it("can be closed twice", async () => {
    await device.close();
    await device.close();
  });

  it("ends by itself with a process that has nothing else to do", async () => {
    const path = await written(scratch, "left-open", sameGraph());
    const script = fileURLToPath(new URL("../support/device/device-left-open.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, path], { timeout: 150_000 });
    expect(stdout).toBe("3,4\n");
  });
});
