import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FIXTURE } from "../../../test/support/chaos/models.ts";
import { segmentBucket } from "../../../test/support/clients/bucket-run.ts";
import { sample } from "../../../test/support/media/sample.ts";
import { useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import { type SpawnedStack, spawnStack } from "../../../test/support/stack/spawn-stack.ts";

const OBJECTS = Number(process.env["BUCKET_OBJECTS"] ?? 10_000);
/** The account's rate of requests alone makes 10,000 take a quarter of an hour. */
const HANG_MS = 4 * 3_600_000;
const SIDE = 64;

/** A picture unlike all others, with a bright square. */
async function picture(number: number): Promise<Uint8Array<ArrayBuffer>> {
  const pixels = Buffer.alloc(SIDE * SIDE * 3, 20);
  for (let y = 16; y < 40; y++) pixels.fill(250, (y * SIDE + 12) * 3, (y * SIDE + 44) * 3);
  pixels.writeUIntBE(number, 0, 3);
  const png = await sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png()
    .toBuffer();
  return new Uint8Array(png);
}

let stateDir: string;
let stack: SpawnedStack;
beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "buckets-"));
  stack = await spawnStack({
    stateDir,
    launcher: "test/support/chaos/start.ts",
    env: { ...FIXTURE.env, CHAOS_SERVICE: FIXTURE.service, ALLOW_LOCAL_URLS: "true" },
  });
});
afterAll(async () => {
  await stack.stop();
  await rm(stateDir, { recursive: true });
});

it(
  `a manifest of ${OBJECTS} objects is segmented into a bucket, each once, by a command line that was killed twice`,
  async () => {
    const run = { picture, prompt: "bright", objects: OBJECTS, kills: 2, by: "manifest" } as const;
    const said = await segmentBucket({ ...run, stack: { ...stack, stateDir } });
    process.stdout.write(`${said}\n`);
    expect(said).toMatch(/ objects /);
  },
  HANG_MS,
);

it("a bucket of 8 objects is segmented into a bucket, each once, by a command line that was killed", async () => {
  /** The sample and its number behind its end, which changes no pixel: the model looks at it once. */
  const sameCat = async (number: number) => new Uint8Array([...sample("chelsea"), number]);
  const run = { picture: sameCat, prompt: "cat", objects: 8, kills: 1, by: "prefix" } as const;
  expect(await segmentBucket({ ...run, stack: await useSharedStack() })).toMatch(/^8 objects/);
});
