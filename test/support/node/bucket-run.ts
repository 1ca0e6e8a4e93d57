import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { SegmentationClient } from "segmentation-client/node";
import { expect, vi } from "vitest";
import { z } from "zod";
import { mapParallel } from "../../../client/src/http/parallel.ts";
import { serveBucket } from "../../../client/test/support/bucket-service.ts";
import { openLocalDatabase } from "../../../scripts/admin/database.ts";
import { checkLedger } from "../../../scripts/admin/ledger-check.ts";
import { stateFolder } from "../../../scripts/stack/state-folder.ts";
import { PLANTED } from "../chaos/models.ts";
import { startCommandLine } from "./command-line.ts";
import { spawnStack } from "./spawn-stack.ts";

const SIDE = 64;
const TRIAL_TOKENS = 100;
/** More than a busy machine takes, in steps of the account's rate of requests. */
const SECONDS_PER_OBJECT = 10;

/** A picture unlike all others, with a bright square. */
async function pictureOf(number: number): Promise<Uint8Array<ArrayBuffer>> {
  const pixels = Buffer.alloc(SIDE * SIDE * 3, 20);
  for (let y = 16; y < 40; y++) pixels.fill(250, (y * SIDE + 12) * 3, (y * SIDE + 44) * 3);
  pixels.writeUIntBE(number, 0, 3);
  const png = await sharp(pixels, { raw: { width: SIDE, height: SIDE, channels: 3 } })
    .png()
    .toBuffer();
  return new Uint8Array(png);
}

/** A line of a manifest's results, of a picture with one mask. */
const ResultLine = z.object({
  custom_id: z.string(),
  response: z.object({
    status_code: z.literal(200),
    body: z.object({ jobId: z.string(), masks: z.array(z.unknown()).length(1) }),
  }),
  error: z.null(),
});

/** How many objects a run has, how often its command line is killed, and whether a manifest names the objects or their prefix. */
export interface BucketRun {
  readonly objects: number;
  readonly kills: number;
  readonly by: "prefix" | "manifest";
}

/**
 * Segments the objects of a bucket into another prefix of it, by a command line that is killed and run again: each object has its masks
 * and its line of results once, nothing is charged twice, and no file is sent by the command line. Returns what was seen, in a sentence.
 */
export async function segmentBucket({ objects, kills, by }: BucketRun): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "bucket-"));
  const bucket = await serveBucket(join(folder, "bucket"));
  const stack = await spawnStack({
    stateDir: join(folder, "state"),
    launcher: "test/support/chaos/start.ts",
    env: { ...PLANTED.env, CHAOS_SERVICE: PLANTED.service, ALLOW_LOCAL_URLS: "true" },
  });
  try {
    const names = Array.from(
      { length: objects },
      (_, i) => `${String(i % 7)}/${String(i).padStart(5, "0")}.png`,
    );
    await mapParallel(names, 16, undefined, async (name, i) => bucket.put(`in/${name}`, await pictureOf(i)));
    const env = {
      ...bucket.env,
      SEGMENTATION_BASE_URL: stack.baseUrl,
      SEGMENTATION_API_KEY: stack.apiKey,
      HOME: folder,
    };
    const manifest = join(folder, "pictures.jsonl");
    const lines = names.map((name) => JSON.stringify({ custom_id: name, url: `${bucket.url}in/${name}` }));
    await writeFile(manifest, lines.join("\n"));
    const inputs = by === "manifest" ? ["--manifest", manifest] : [`${bucket.url}in/`];
    const args = ["segment", ...inputs, "-p", "bright", "-o", `${bucket.url}masks/`, "--yes"];
    const run = () => startCommandLine(args, env, folder);
    const journal = async (): Promise<string> =>
      await readFile(join(folder, "out/segmentation-journal.jsonl"), "utf8").catch(() => "");
    const begun = performance.now();
    for (let i = 1; i <= kills; i++) {
      const { child, ended } = run();
      const enough = (objects * i) / (kills + 1);
      const isFar = async () =>
        child.exitCode !== null || (await journal()).split('"entry":"uploaded"').length > enough;
      // The journal of a large bucket has megabytes.
      await vi.waitUntil(isFar, {
        interval: 50 + objects / 10,
        timeout: objects * SECONDS_PER_OBJECT * 1_000,
      });
      child.kill("SIGKILL");
      const { code, err } = await ended;
      expect(code, err).toBeNull();
    }
    const last = await run().ended;
    expect(last.code, last.err).toBe(0);
    const seconds = (performance.now() - begun) / 1_000;
    expect(last.out).toContain(`${objects.toLocaleString("en-US")} pictures`);
    expect(await bucket.keys("masks/masks/")).toEqual(
      names.map((name) => `masks/masks/${name}/0.png`).toSorted(),
    );
    const document: { images: object[]; annotations: object[] } = JSON.parse(
      await bucket.read("masks/annotations.json"),
    );
    expect([document.images.length, document.annotations.length]).toEqual([objects, objects]);
    if (by === "manifest") {
      const results = (await bucket.read("masks/results.jsonl")).trim().split("\n");
      const ids = results.map((line) => ResultLine.parse(JSON.parse(line)).custom_id);
      expect(ids).toEqual(names);
    }
    expect((await run().ended).out).toContain("nothing has changed");

    const log = await readFile(join(folder, "state/logs/worker.log"), "utf8");
    expect(log.split('"operation":"importUpload"').length).toBeGreaterThan(objects);
    expect(log).not.toContain('"operation":"createUploadPresign"');

    const client = new SegmentationClient(stack);
    const { days } = await client.api.getAccountUsage();
    expect(days.reduce((sum, { units }) => sum + units, 0)).toBe(objects);
    const database = await openLocalDatabase(stateFolder(join(folder, "state")));
    expect((await checkLedger(database, TRIAL_TOKENS, Date.now())).findings).toEqual([]);
    return `${objects} objects by a ${by} with ${kills} kills: ${seconds.toFixed(1)} s`;
  } finally {
    await stack.stop();
    await bucket.close();
    await rm(folder, { recursive: true });
  }
}
