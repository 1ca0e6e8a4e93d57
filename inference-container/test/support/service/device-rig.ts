/** A service on several devices that a test breaks and mends by files (`device-model.ts`). */
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Rig, startRig, until } from "./running-service.ts";

const LOADER = new URL("device-model.ts", import.meta.url).href;

export interface DeviceRig extends Rig {
  /** Creates a file that holds or breaks a device, or replaces its content. */
  set(file: string, content?: string): Promise<void>;
  /** The number in a file; 0 without one. */
  numberIn(file: string): Promise<number>;
  /** Removes it again. */
  unset(file: string): Promise<void>;
  metrics(): Promise<string>;
  /** Resolves once /readyz says that the device is in this state. */
  inState(device: number, state: string): Promise<void>;
}

/** Starts the service on `count` devices with these files; waits for no device. */
export async function startDevices(
  count: number,
  files: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<DeviceRig> {
  const folder = await mkdtemp(join(tmpdir(), "devices-"));
  const set = async (file: string, content = ""): Promise<void> => {
    // A concurrent reader finds the old or the new content.
    await writeFile(join(folder, `${file}.new`), content);
    await rename(join(folder, `${file}.new`), join(folder, file));
  };
  for (const file of files) await set(file);
  const devices = Array.from({ length: count }, (_, device) => device);
  const shared = { EXECUTION_PROVIDER: "cuda", DEVICES: devices.join(), DRAIN_SECONDS: "0.1" };
  const rig = await startRig({ ...shared, MODEL_FOLDER: folder, ...environment }, LOADER);
  const answer = async (path: string): Promise<string> => (await fetch(`${rig.service.url}${path}`)).text();
  return {
    ...rig,
    set,
    numberIn: async (file) => Number(await readFile(join(folder, file), "utf8").catch(() => "0")),
    unset: (file) => rm(join(folder, file)),
    metrics: () => answer("/metrics"),
    inState: (device, state) =>
      until(async () => (await answer("/readyz")).includes(`{"device":"${device}","state":"${state}"`)),
    [Symbol.asyncDispose]: async () => {
      await rig[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
}
