import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildPlatforms, PLATFORM_NAMES, type Platforms } from "../support/platforms/all.ts";
import { sample } from "../../../test/support/media/sample.ts";
import { type SpawnedStack, spawnStack } from "../../../test/support/stack/spawn-stack.ts";

describe("the client library against the whole stack", () => {
  let stateDir: string;
  let stack: SpawnedStack;
  let platforms: Platforms;
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), "platforms-"));
    [stack, platforms] = await Promise.all([spawnStack({ stateDir }), buildPlatforms()]);
  });
  afterAll(async () => {
    await platforms.close();
    await stack.stop();
    await rm(stateDir, { recursive: true });
  });

  it.each(PLATFORM_NAMES)("walks in %s", async (name) => {
    const { baseUrl, apiKey } = stack;
    const picture = Buffer.from(sample("chelsea")).toString("base64");
    const report = await platforms.all[name]({ baseUrl, apiKey, picture, prompt: "cat" });
    if (report === null) return console.log(`This machine has no ${name}: the client is not tested there.`);
    expect(report.filter(({ failure }) => failure !== null)).toEqual([]);
  });
});
