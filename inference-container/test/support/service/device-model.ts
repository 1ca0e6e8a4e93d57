/**
 * The fixture model on several devices. Files in its folder control it, here for device 1. While "hold-1" exists, it
 * doesn't become ready; while "broken-1" does, it can't load the model; while "throws-1" does, every run fails, of the
 * golden picture too; while "flaky-1" does, all but that one; while "hangs-1" does, no run ends. While "keep" exists,
 * the prompt "kept" holds its device; the prompt "poison" breaks a device until its engine is restarted. With a file
 * "turns", the n-th run on a device ends once the file's number is n, and "begun-1" counts the runs on it.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { loadModel as loadReal } from "../../../src/models/load.ts";
import { loadModel as loadFixture } from "./fixture-model.ts";
import { Turns } from "./turns.ts";

export const loadModel: typeof loadReal = async (folder, options) => {
  const { device, provider = "cpu" } = options ?? {};
  const has = (file: string): boolean => existsSync(join(folder, file));
  const whileThere = async (file: string): Promise<void> => {
    while (has(file)) await sleep(20);
  };
  let isPoisoned = false;
  const golden = async (): Promise<void> => {
    await whileThere(`hangs-${device}`);
    if (isPoisoned || has(`throws-${device}`)) throw new Error("CUDA failure 700: an illegal memory access.");
  };
  let runs = 0;
  const turn = async (): Promise<void> => {
    if (!has("turns")) return;
    runs += 1;
    writeFileSync(join(folder, `begun-${device}.new`), String(runs));
    renameSync(join(folder, `begun-${device}.new`), join(folder, `begun-${device}`));
    while (Number(readFileSync(join(folder, "turns"), "utf8")) < runs) await sleep(20);
  };
  if (has(`broken-${device}`)) throw new Error("Its graph can't be loaded there.");
  await whileThere(`hold-${device}`);
  const fixture = await loadFixture(folder);
  const turns = new Turns();
  await golden();
  return {
    ...fixture,
    provider,
    selfTest: (usage) => turns.run(usage, golden),
    segment: async (picture, request) => {
      const kept = request.prompts.includes("kept");
      await turns.run(request.usage, async () => {
        isPoisoned ||= request.prompts.includes("poison");
        await golden();
        if (has(`flaky-${device}`)) throw new Error("A run failed.");
        await turn();
        if (kept) await whileThere("keep");
      });
      return fixture.segment(picture, kept ? { ...request, prompts: ["bright"] } : request);
    },
  };
};
