import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it } from "vitest";
import { expectToArrive } from "../support/network/breaking-line.ts";
import { type SpawnedStack, spawnStack } from "../support/stack/spawn-stack.ts";

/** A part of 8 MiB takes this line 1.4 s. */
const LINE = { bytesPerSecond: 6_000_000, breaksEverySeconds: 2, isSlow: true };

describe("a file of 130 MB over a line of 6 MB per second that breaks every two seconds", () => {
  let stateDir: string;
  let stack: SpawnedStack;
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), "breaking-line-"));
    stack = await spawnStack({ stateDir });
  });
  afterAll(async () => {
    await stack.stop();
    await rm(stateDir, { recursive: true });
  });

  it("arrives whole, and nothing beyond a part is sent twice", async () => {
    await expectToArrive(stack, LINE, 130_000_001);
  });
});
