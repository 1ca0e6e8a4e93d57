/**
 * The planted model on several devices. Files in its folder control it: while "hold-1" exists, device 1 doesn't become
 * ready; with "broken-1" it can't load the model at all.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { loadModel as loadReal } from "../../src/models/load.ts";
import { loadModel as loadPlanted } from "./planted-model.ts";

export const loadModel: typeof loadReal = async (folder, options) => {
  const { device, provider = "cpu" } = options ?? {};
  if (existsSync(join(folder, `broken-${device}`))) throw new Error("Its graph can't be loaded there.");
  while (existsSync(join(folder, `hold-${device}`))) await sleep(20);
  return { ...(await loadPlanted(folder)), provider };
};
