/**
 * The planted model on several devices. Files in its folder control it: while "hold-1" exists, device 1 doesn't become
 * ready; while "broken-1" does, it can't load the model; while "keep" does, the prompt "kept" holds its device. Devices
 * that break while they work: while "throws-1" exists, every run on device 1 fails, of the golden picture too; while
 * "hangs-1" does, no run there ends.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { loadModel as loadReal } from "../../src/models/load.ts";
import { loadModel as loadPlanted } from "./planted-model.ts";
import { Turns } from "./turns.ts";

export const loadModel: typeof loadReal = async (folder, options) => {
  const { device, provider = "cpu" } = options ?? {};
  const has = (file: string): boolean => existsSync(join(folder, file));
  const whileThere = async (file: string): Promise<void> => {
    while (has(file)) await sleep(20);
  };
  const runOnDevice = async (): Promise<void> => {
    await whileThere(`hangs-${device}`);
    if (has(`throws-${device}`)) throw new Error("CUDA failure 700: an illegal memory access.");
  };
  if (has(`broken-${device}`)) throw new Error("Its graph can't be loaded there.");
  await whileThere(`hold-${device}`);
  const planted = await loadPlanted(folder);
  const turns = new Turns();
  await runOnDevice();
  return {
    ...planted,
    provider,
    selfTest: (usage) => turns.run(usage, runOnDevice),
    segment: async (picture, request) => {
      const kept = request.prompts.includes("kept");
      await turns.run(request.usage, async () => {
        await runOnDevice();
        if (kept) await whileThere("keep");
      });
      return planted.segment(picture, kept ? { ...request, prompts: ["bright"] } : request);
    },
  };
};
