import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { sameGraph, written } from "../support/device/same-graph.ts";

const ofService = (path: string): string => new URL(`../../src/${path}`, import.meta.url).href;

/** Each way in which a process opens a session, as a module that reads the graph's path from its arguments. */
const WAYS = {
  package: `const { InferenceSession } = await import(${JSON.stringify(import.meta.resolve("onnxruntime-node"))});
    await (await InferenceSession.create(process.argv[1])).release();`,
  runtime: `const { InferenceSession } = await import(${JSON.stringify(ofService("onnx/runtime.ts"))});
    await (await InferenceSession.create(process.argv[1])).release();`,
  device: `const { Device } = await import(${JSON.stringify(ofService("device/device.ts"))});
    const device = new Device();
    await device.load({ path: process.argv[1], options: { provider: "cpu", device: 0, cpuNodes: true, threads: 1 } });
    await device.close();`,
};

/** The files that a process leaves in its home folder. */
async function leftBy(way: keyof typeof WAYS): Promise<string[]> {
  const scratch = await mkdtemp(join(tmpdir(), "telemetry-"));
  try {
    const graph = await written(scratch, "same", sameGraph());
    const home = await mkdtemp(join(scratch, "home-"));
    const { PATH } = process.env;
    await promisify(execFile)(process.execPath, ["--eval", WAYS[way], graph], {
      env: { PATH, HOME: home },
    });
    return (await readdir(home, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

it("leaves no telemetry file, although the package does by default", async () => {
  const [byDefault, runtime, device] = await Promise.all([
    leftBy("package"),
    leftBy("runtime"),
    leftBy("device"),
  ]);
  expect(byDefault).toContain("deviceid");
  expect(runtime).toEqual([]);
  expect(device).toEqual([]);
});
