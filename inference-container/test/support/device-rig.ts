/** A service on several devices that a test breaks and mends by files (`device-model.ts`). */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Rig, startRig, until } from "./running-service.ts";

const LOADER = new URL("device-model.ts", import.meta.url).href;

export interface DeviceRig extends Rig {
  /** Creates a file that holds or breaks a device. */
  set(file: string): Promise<void>;
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
  const set = (file: string): Promise<void> => writeFile(join(folder, file), "");
  for (const file of files) await set(file);
  const devices = Array.from({ length: count }, (_, device) => device);
  const shared = { EXECUTION_PROVIDER: "cuda", DEVICES: devices.join(), DRAIN_SECONDS: "0.1" };
  const rig = await startRig({ ...shared, MODEL_FOLDER: folder, ...environment }, LOADER);
  const answer = async (path: string): Promise<string> => (await fetch(`${rig.service.url}${path}`)).text();
  return {
    ...rig,
    set,
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
