import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleInto } from "./bundle.ts";
import { inChromium } from "./chromium.ts";
import { packedClient } from "../packed-client.ts";
import { byCommand, COMMAND, machinesNode, packagedProgram } from "./command.ts";
import type { Platform } from "./platform.ts";
import { workerd } from "./workerd.ts";

export const PLATFORM_NAMES = [
  "the project's Node",
  "the machine's Node",
  "Deno",
  "Bun",
  "workerd",
  "Chromium",
] as const;

/** The walk with the client as npm publishes it, and the platforms that can run it. */
export interface Platforms {
  readonly all: Readonly<Record<(typeof PLATFORM_NAMES)[number], Platform>>;
  readonly close: () => Promise<void>;
}

/** Builds the walk for all platforms. */
export async function buildPlatforms(): Promise<Platforms> {
  const folder = await mkdtemp(join(tmpdir(), "client-walk-"));
  const bundle = bundleInto(folder, await packedClient());
  const command = await bundle("command", COMMAND);
  const deno = packagedProgram("@deno", "linux-x64-glibc", "deno");
  const bun = packagedProgram("@oven", "bun-linux-x64-baseline", "bin", "bun");
  return {
    all: {
      "the project's Node": byCommand(process.execPath, command),
      "the machine's Node": byCommand(machinesNode(), command),
      Deno: byCommand(deno, command, "run", "--allow-net"),
      Bun: byCommand(bun, command),
      workerd: workerd(bundle),
      Chromium: inChromium(bundle),
    },
    close: () => rm(folder, { recursive: true }),
  };
}
