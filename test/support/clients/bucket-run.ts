import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SegmentationClient } from "segmentation-client/node";
import { expect, vi } from "vitest";
import { z } from "zod";
import { mapParallel } from "../../../client/src/http/parallel.ts";
import { serveBucket } from "../../../client/test/support/bucket-service.ts";
import { openLocalDatabase } from "../../../scripts/shared/database/database.ts";
import { checkLedger } from "../../../scripts/operate/admin/ledger-check.ts";
import { type StackAddress, stateFolder } from "../../../scripts/shared/state/state-folder.ts";
import { startCommandLine } from "./command-line.ts";

const TRIAL_TOKENS = 100;
/** More than a busy machine takes, in steps of the account's rate of requests. */
const SECONDS_PER_OBJECT = 10;

/** A line of a manifest's results, of a picture with one mask. */
const ResultLine = z.object({
  custom_id: z.string(),
  response: z.object({
    status_code: z.literal(200),
    body: z.object({ jobId: z.string(), masks: z.array(z.unknown()).length(1) }),
  }),
  error: z.null(),
});

/**
 * A run: its number of objects, the number of kills of its command line, and whether a manifest names the objects or their
 * prefix.
 */
export interface BucketRun {
  readonly stack: StackAddress & { readonly stateDir: string };
  /** The picture of an object by its number: each is a different file, in which the prompt names one thing. */
  readonly picture: (number: number) => Promise<Uint8Array<ArrayBuffer>>;
  readonly prompt: string;
  readonly objects: number;
  readonly kills: number;
  readonly by: "prefix" | "manifest";
}

/**
 * Segments the objects of a bucket into another prefix, by a command line that is killed and run again. Each object gets its
 * masks and its line of results once, no object is charged twice, and the command line sends no file. Returns a summary in one
 * sentence.
 */
export async function segmentBucket(run: BucketRun): Promise<string> {
  const { stack, picture, prompt, objects, kills, by } = run;
  const folder = await mkdtemp(join(tmpdir(), "bucket-"));
  const bucket = await serveBucket(join(folder, "bucket"));
  try {
    const names = Array.from(
      { length: objects },
      (_, i) => `${String(i % 7)}/${String(i).padStart(5, "0")}.png`,
    );
    await mapParallel(names, 16, undefined, async (name, i) => bucket.put(`in/${name}`, await picture(i)));
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
    const args = ["segment", ...inputs, "-p", prompt, "-o", `${bucket.url}masks/`, "--yes"];
    const start = () => startCommandLine(args, env, folder);
    const journal = async (): Promise<string> =>
      await readFile(join(folder, "out/segmentation-journal.jsonl"), "utf8").catch(() => "");
    const begun = performance.now();
    for (let i = 1; i <= kills; i++) {
      const { child, ended } = start();
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
    const last = await start().ended;
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
    expect((await start().ended).out).toContain("nothing has changed");

    const client = new SegmentationClient(stack);
    const { accountId } = await client.api.getAccount();
    const { logs } = stateFolder(stack.stateDir);
    const log = (await readFile(join(logs, "worker.log"), "utf8")).split("\n");
    const calls = (operation: string): string[] =>
      log.filter((line) => line.includes(`"operation":"${operation}"`) && line.includes(accountId));
    expect(calls("importUpload").length).toBeGreaterThanOrEqual(objects);
    expect(calls("createUploadPresign")).toEqual([]);

    const { days } = await client.api.getAccountUsage();
    expect(days.reduce((sum, { units }) => sum + units, 0)).toBe(objects);
    const jobs = new Set<unknown>();
    for await (const { jobId } of client.api.listJobs({ limit: 100 })) jobs.add(jobId);
    const database = await openLocalDatabase(stateFolder(stack.stateDir));
    const { findings } = await checkLedger(database, TRIAL_TOKENS, Date.now());
    // Other tests of a shared stack also write rows into it.
    expect(findings.filter(({ subject }) => jobs.has(subject))).toEqual([]);
    return `${objects} objects by a ${by} with ${kills} kills: ${seconds.toFixed(1)} s`;
  } finally {
    await bucket.close();
    await rm(folder, { recursive: true });
  }
}
