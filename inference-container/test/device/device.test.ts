import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Device } from "../../src/device/device.ts";
import { allHeld, Held } from "../../src/device/held.ts";
import type { Feeds, HeldTensor, Run } from "../../src/device/messages.ts";
import { type Stage, Usage } from "../../src/device/usage.ts";
import { countingGraph, failingGraph, findingGraph, written } from "../support/counting-graphs.ts";
import { floatsOf, numbersOf } from "../support/runs.ts";

/** Long compared with the time to ask for some runs. */
const DELAY_MS = 200;

let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "device-"));
});
afterAll(() => rm(scratch, { recursive: true }));

let device: Device;
beforeEach(() => {
  device = new Device();
});
afterEach(() => device.close());

async function loaded(graph: Uint8Array, maxBatch: number, batchDelayMs = DELAY_MS): Promise<number> {
  const path = await written(scratch, crypto.randomUUID(), graph);
  const options = { provider: "cpu", device: 0, threads: 1 } as const;
  return (await device.load({ path, options, maxBatch, batchDelayMs })).id;
}

type Told = Partial<Pick<Run, "hold" | "followed" | "outputs">>;

function run(graph: number, feeds: Feeds, told: Told = {}, usage = new Usage()): Promise<Feeds> {
  const outputs = ["same", "rows"];
  return device.run({ graph, feeds, outputs, hold: false, followed: false, ...told }, usage);
}

/** The numbers of a result that was delivered here. */
function numbers(results: Feeds, name: string): number[] {
  const values = results[name];
  if (values === undefined || !("dims" in values)) throw new Error(`"${name}" did not come here.`);
  return numbersOf(values);
}

/** A result that stayed on the device. */
function held(results: Feeds, name: string): HeldTensor {
  const tensor = results[name];
  if (tensor === undefined || !("held" in tensor)) throw new Error(`"${name}" did not stay with the device.`);
  return tensor;
}

/** Rows that no other run has. */
function rowsOfRun(i: number): Feeds {
  return { x: floatsOf([[i, -i]]) };
}

const six = [1, 2, 3, 4, 5, 6];

describe("runs that a device is asked for at once", () => {
  it("are joined up to the graph's most rows, and each gets its own", async () => {
    const graph = await loaded(countingGraph(), 4);
    const results = await Promise.all(six.map((i) => run(graph, rowsOfRun(i))));
    expect(results.map((all) => numbers(all, "same"))).toEqual(six.map((i) => [i, -i]));
    expect(results.map((all) => numbers(all, "rows"))).toEqual([[4], [4], [4], [4], [2], [2]]);
  });

  it("count by their rows, not by their number", async () => {
    const graph = await loaded(countingGraph(), 4);
    const feeds = [
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      [
        [7, 8],
        [9, 10],
      ],
      [[11, 12]],
    ];
    const results = await Promise.all(feeds.map((rows) => run(graph, { x: floatsOf(rows) })));
    expect(results.map((all) => numbers(all, "same"))).toEqual(feeds.map((rows) => rows.flat()));
    expect(results.map((all) => numbers(all, "rows"))).toEqual([[4, 4, 4], [2, 2], [4]]);
  });

  it("are joined where their results stay with the device, and are each fed on as they are", async () => {
    const [first, second] = [await loaded(countingGraph(), 4), await loaded(countingGraph(), 4)];
    const features = await Promise.all(six.map((i) => run(first, rowsOfRun(i), { hold: true })));
    expect(features.map((all) => held(all, "same").size)).toEqual(six.map(() => 8));
    const results = await Promise.all(features.map((all) => run(second, { x: held(all, "same") })));
    expect(results.map((all) => numbers(all, "same"))).toEqual(six.map((i) => [i, -i]));
    // A tensor that stays on the device is not copied for a batch.
    expect(results.map((all) => numbers(all, "rows"))).toEqual(six.map(() => [1]));
    const rows = await Promise.all(features.map((all) => run(second, { x: held(all, "same") })));
    expect(rows).toEqual(results);
  });

  it.each([
    ["with a most of one row", countingGraph(), 1],
    ["where the graph has one row", countingGraph(1), 4],
  ])("run each alone %s", async (_, graph, maxBatch) => {
    const id = await loaded(graph, maxBatch);
    const results = await Promise.all(six.map((i) => run(id, rowsOfRun(i))));
    expect(results.map((all) => numbers(all, "same"))).toEqual(six.map((i) => [i, -i]));
    expect(results.map((all) => numbers(all, "rows"))).toEqual(six.map(() => [1]));
  });

  it("fail where the graph does not give a row for each, and never get another's", async () => {
    const graph = await loaded(findingGraph(), 4);
    const outputs = ["found"];
    expect(numbers(await run(graph, { x: floatsOf([[-1, -2]]) }, { outputs }), "found")).toEqual([]);
    const feeds = [1, -1, 1, -1].map((i) => ({ x: floatsOf([[i, i]]) }));
    for (const one of await Promise.allSettled(feeds.map((x) => run(graph, x, { outputs }))))
      expect(one).toMatchObject({
        status: "rejected",
        reason: {
          message: expect.stringContaining('The result "found" has the shape [2, 2] for a batch of 4'),
        },
      });
  });
});

describe("results that stay with the device", () => {
  it("are there until the last who shares them lets go", async () => {
    const graph = await loaded(countingGraph(), 1);
    const same = held(await run(graph, rowsOfRun(1), { hold: true }), "same");
    const used = async () => numbers(await run(graph, { x: same }), "same");
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

  it("are let go of where others that belong to them can't be had", async () => {
    const graph = await loaded(countingGraph(), 1);
    const same = held(await run(graph, rowsOfRun(1), { hold: true }), "same");
    const features = new Held(device, { same });
    const asked = [Promise.resolve(features), Promise.reject<Held>(new Error("no memory"))];
    await expect(allHeld(asked)).rejects.toThrow("no memory");
    await expect(run(graph, { x: same })).rejects.toThrow("was released before it was used");
  });
});

describe("a run that nobody wants any more", () => {
  it("is taken out while it waits, and the others go on", async () => {
    const graph = await loaded(countingGraph(), 4);
    const [controller, stages] = [new AbortController(), new Array<Stage>()];
    const usage = new Usage(undefined, (stage) => stages.push(stage), controller.signal);
    const first = run(graph, rowsOfRun(1));
    const gone = run(graph, { x: floatsOf([[1, 2, 3]]) }, {}, new Usage(usage));
    controller.abort(new Error("cancelled"));
    await expect(gone).rejects.toThrow("cancelled");
    expect(stages).toEqual(["waiting", "busy"]);
    expect(numbers(await first, "same")).toEqual([1, -1]);
    await expect(run(graph, rowsOfRun(2), {}, new Usage(usage))).rejects.toThrow("cancelled");
    expect(numbers(await run(graph, rowsOfRun(3)), "same")).toEqual([3, -3]);
  });
});

describe("runs that fail together", () => {
  it("are run one by one, and so from then on", async () => {
    const graph = await loaded(failingGraph(), 4);
    const results = await Promise.all(six.map((i) => run(graph, rowsOfRun(i))));
    expect(results.map((all) => numbers(all, "same"))).toEqual(six.map((i) => [i, -i]));
    expect(results.map((all) => numbers(all, "rows"))).toEqual(six.map(() => [1]));
  });
});

describe("a run that fails", () => {
  it("rejects all that it was joined with by the runtime's reason, and the device goes on", async () => {
    const graph = await loaded(countingGraph(), 4);
    const wrong = { x: floatsOf([[1, 2, 3]]) };
    const [one, other, right] = [run(graph, wrong), run(graph, wrong), run(graph, rowsOfRun(1))];
    const outcomes = await Promise.allSettled([one, other]);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({
        status: "rejected",
        reason: { message: expect.stringContaining("invalid dimensions for input: x") },
      });
    expect(numbers(await right, "same")).toEqual([1, -1]);
    expect(numbers(await run(graph, rowsOfRun(2)), "same")).toEqual([2, -2]);
  });

  it("names a tensor that was released before", async () => {
    const graph = await loaded(countingGraph(), 1);
    const same = held(await run(graph, rowsOfRun(1), { hold: true }), "same");
    const before = run(graph, { x: same });
    device.release([same]);
    expect(numbers(await before, "same")).toEqual([1, -1]);
    await expect(run(graph, { x: same })).rejects.toThrow(
      'The tensor for "x" was released before it was used.',
    );
    expect(numbers(await run(graph, rowsOfRun(2)), "same")).toEqual([2, -2]);
  });

  it("is over for its work", async () => {
    const graph = await loaded(countingGraph(), 1);
    const stages: Stage[] = [];
    const usage = new Usage(undefined, (stage) => stages.push(stage));
    await expect(run(graph, { x: floatsOf([[1]]) }, {}, usage)).rejects.toThrow();
    expect(stages).toEqual(["waiting", "model", "busy"]);
  });

  it("leaves nothing waiting where its feeds can't cross", async () => {
    const graph = await loaded(countingGraph(), 1);
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
  it("is told with the runtime's reason, and the device goes on", async () => {
    await expect(loaded(new Uint8Array([1, 2, 3]), 1)).rejects.toThrow(/protobuf/i);
    const graph = await loaded(countingGraph(), 1);
    expect(numbers(await run(graph, rowsOfRun(1)), "same")).toEqual([1, -1]);
  });
});

describe("a buffer", () => {
  it("is gone here once it was moved, and still here where it was not", async () => {
    const graph = await loaded(countingGraph(), 1);
    const [moved, copied] = [floatsOf([[1, 2]]), floatsOf([[3, 4]])];
    const asked = { graph, outputs: ["same"], hold: false, followed: false };
    const first = device.run({ ...asked, feeds: { x: moved } }, new Usage(), [moved.bytes.buffer]);
    const second = device.run({ ...asked, feeds: { x: copied } }, new Usage());
    expect([moved.bytes.length, copied.bytes.length]).toEqual([0, 8]);
    expect(numbers(await first, "same")).toEqual([1, 2]);
    expect(numbers(await second, "same")).toEqual([3, 4]);
  });
});

describe("what a work tells of its runs", () => {
  it("is how long they had the device, together for those that were joined", async () => {
    const graph = await loaded(countingGraph(), 4);
    const stages: Stage[] = [];
    const whole = new Usage(undefined, (stage) => stages.push(stage));
    const parts = [new Usage(whole), new Usage(whole)];
    await Promise.all(parts.map((part, i) => run(graph, rowsOfRun(i), {}, part)));
    expect(stages).toEqual(["waiting", "waiting", "model", "model", "model", "busy"]);
    const [ms = 0, other] = parts.map((part) => part.ms);
    expect(ms).toBeGreaterThan(0);
    expect([other, whole.ms]).toEqual([ms, 2 * ms]);
    expect(whole.waitedMs).toBeGreaterThan(0);
  });
});

describe("a device", () => {
  it("does what it was asked for before it is closed", async () => {
    const graph = await loaded(countingGraph(), 1);
    let done = 0;
    const asked = six.map(async (i) => {
      const results = await run(graph, rowsOfRun(i));
      done += 1;
      return numbers(results, "same");
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
    const path = await written(scratch, "left-open", countingGraph());
    const script = fileURLToPath(new URL("../support/device-left-open.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, path], { timeout: 60_000 });
    expect(stdout).toBe("3,4\n");
  });
});
