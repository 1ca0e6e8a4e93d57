import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleInto } from "./bundle.ts";
import { inChromium, inServiceWorker } from "./chromium.ts";
import { packedClient } from "../packed-client.ts";
import { byCommand, byPackage, COMMAND, machinesNode } from "./command.ts";
import type { Platform } from "./platform.ts";
import { workerd } from "./workerd.ts";

/** Platforms that are there with the project's packages. */
export const USUAL_PLATFORMS = ["the project's Node", "the machine's Node", "workerd", "Chromium"] as const;
/** Those, a second run of the browser, and the ones whose programs, 200 MB, are installed for the long tests. */
export const PLATFORM_NAMES = [...USUAL_PLATFORMS, "Chromium's service worker", "Deno", "Bun"] as const;

/** The walk with the client as npm publishes it, and the platforms that can run it. */
export interface Platforms {
  readonly all: Readonly<Record<(typeof PLATFORM_NAMES)[number], Platform>>;
  readonly close: () => Promise<void>;
}

/** Builds the walk for all platforms. */
export async function buildPlatforms(): Promise<Platforms> {
  const folder = await mkdtemp(join(tmpdir(), "client-walk-"));
  const library = await packedClient();
  const bundle = bundleInto(folder, library);
  const command = await bundle("command", COMMAND);
  return {
    all: {
      "the project's Node": byCommand(process.execPath, command),
      "the machine's Node": byCommand(machinesNode(), command),
      Deno: byPackage("@deno/linux-x64-glibc@2.9.6", "deno", command, "run", "--allow-net"),
      Bun: byPackage("@oven/bun-linux-x64-baseline@1.4.5", "bin/bun", command),
      workerd: workerd(bundle),
      Chromium: inChromium(bundle),
      "Chromium's service worker": inServiceWorker(library),
    },
    close: () => rm(folder, { recursive: true }),
  };
}
