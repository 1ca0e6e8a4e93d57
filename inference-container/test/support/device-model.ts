/**
 * The planted model on several devices. Files in its folder control it: while "hold-1" exists, device 1 doesn't become
 * ready; with "broken-1" it can't load the model at all; while "keep" exists, the prompt "kept" holds its device.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { loadModel as loadReal } from "../../src/models/load.ts";
import { loadModel as loadPlanted } from "./planted-model.ts";
import { Turns } from "./turns.ts";

export const loadModel: typeof loadReal = async (folder, options) => {
  const { device, provider = "cpu" } = options ?? {};
  if (existsSync(join(folder, `broken-${device}`))) throw new Error("Its graph can't be loaded there.");
  while (existsSync(join(folder, `hold-${device}`))) await sleep(20);
  const planted = await loadPlanted(folder);
  const turns = new Turns();
  return {
    ...planted,
    provider,
    segment: async (picture, request) => {
      const kept = request.prompts.includes("kept");
      if (!kept) return planted.segment(picture, request);
      await turns.run(request.usage, async () => {
        while (existsSync(join(folder, "keep"))) await sleep(20);
      });
      return planted.segment(picture, { ...request, prompts: ["bright"] });
    },
  };
};
