import { execFile } from "node:child_process";
import { mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CocoClip, masksOf } from "../../inference-container/test/support/masks/formats.ts";
import { MasksJson } from "../../inference-container/test/support/masks/masks-json.ts";
import { movingSquare } from "../../inference-container/test/support/video/moving-square.ts";
import { createAccount } from "../../scripts/shared/database/accounts.ts";
import { openLocalDatabase } from "../../scripts/shared/database/database.ts";
import { createClient, type ApiClient } from "../../scripts/shared/api-client.ts";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";
import { stateFolder } from "../../scripts/shared/state/state-folder.ts";
import { ArchivedVideoManifest } from "../../src/jobs/contract/result.ts";
import { at, only, present } from "../support/at.ts";
import { FIXTURE } from "../support/chaos/models.ts";
import { EventReader } from "../support/event-stream.ts";
import { databaseFile } from "../support/stack/local-database.ts";
import { panClip } from "../support/media/pan-clip.ts";
import { sample } from "../support/media/sample.ts";
import { spawnStack, type SpawnedStack } from "../support/stack/spawn-stack.ts";
import { readStrictly } from "../support/zip/strict-zip.ts";

const run = promisify(execFile);
/**
 * A model that takes no time, because losses do not depend on it. A lost holder is noticed soon, and every
 * frame's end is reported.
 */
const ENV = {
  LEASE_SECONDS: "6",
  RESEND_SECONDS: "2",
  HEARTBEAT_SECONDS: "1",
  CHAOS_SERVICE: FIXTURE.service,
  ...FIXTURE.env,
};
const PROMPTS = ["bright"];
const FRAMES = 6;

/** Copies the database while the stack works. */
async function copyDatabase(data: string, copy: string): Promise<void> {
  const database = new DatabaseSync(await databaseFile(data));
  database.exec(`VACUUM INTO '${copy}'`);
  database.close();
}

/** Puts a copy in the database's place. The stack must not run. */
async function restoreDatabase(data: string, copy: string): Promise<void> {
  const file = await databaseFile(data);
  for (const suffix of ["", "-wal", "-shm"]) await rm(file + suffix, { force: true });
  await rename(copy, file);
}

// Both of a stack that is killed, so they share one.
let stateDir: string;
let stack: SpawnedStack;
const start = (): Promise<SpawnedStack> =>
  spawnStack({ stateDir, launcher: "test/support/chaos/start.ts", env: ENV });
beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "killed-"));
  stack = await start();
});
afterAll(async () => {
  expect(await stack.stop()).toBe(0);
  await rm(stateDir, { recursive: true });
});

describe("after an older copy of the database is put back", () => {
  /** A command of the operator's: its exit code and its JSON. */
  async function admin(...args: string[]): Promise<{ code: number; rows: Record<string, string>[] }> {
    const node = [join("scripts", "operate", "admin.ts"), ...args, "--json"];
    const options = { cwd: PROJECT_ROOT, env: { ...process.env, STATE_DIR: stateDir } };
    try {
      return { code: 0, rows: JSON.parse((await run(process.execPath, node, options)).stdout) };
    } catch (error) {
      const { code, stdout } = Object(error);
      return { code, rows: JSON.parse(stdout) };
    }
  }

  /** Listens to a job's events, from where an earlier stream broke off. */
  const listen = (jobId: string, lastEventId: string | null = null): Promise<Response> =>
    fetch(`${stack.baseUrl}/v1/jobs/${jobId}/events`, {
      headers: {
        authorization: `Bearer ${stack.apiKey}`,
        ...(lastEventId !== null && { "last-event-id": lastEventId }),
      },
    });

  it("no job accepted since loses anything, the loss is reported, and relist repairs it [A1-9]", async () => {
    const { data, logs } = stateFolder(stateDir);
    const before = createClient(stack);
    const [cat, cup] = await Promise.all([
      before.upload(sample("chelsea"), "image/png"),
      before.upload(sample("coffee"), "image/png"),
    ]);
    const older = await before.createImageJob({ tasks: [cat], prompts: PROMPTS });
    await before.waitForJob(older.jobId);

    const copy = join(stateDir, "older.sqlite");
    await copyDatabase(data, copy);
    const person = await before.upload(sample("astronaut"), "image/png");
    const ended = await before.createImageJob({ tasks: [cup], prompts: PROMPTS });
    await before.waitForJob(ended.jobId);
    await before.waitForArchive(ended.jobId);
    const underWay = await before.createImageJob({
      tasks: [person, cat, cup],
      prompts: ["slow", ...PROMPTS],
    });
    const broken = new EventReader((await listen(underWay.jobId)).body);
    const heard = [await broken.next()];
    await stack.kill();
    await expect(broken.rest()).rejects.toThrow();
    await restoreDatabase(data, copy);

    stack = await start();
    const after = createClient(stack);
    expect((await after.listJobs()).items.map(({ jobId }) => jobId)).toEqual([older.jobId]);
    // Unfinished jobs end, and finished ones are whole: their masks and archives can be read.
    const stream = new EventReader((await listen(underWay.jobId, broken.lastEventId)).body);
    heard.push(...(await stream.rest()));
    const job = await after.retrieveJob(underWay.jobId);
    expect(job.status).toBe("success");
    // Over the restart, its events report the end once.
    expect(heard.filter((event) => event?.event === "end")).toEqual([
      { event: "end", id: stream.lastEventId, data: job },
    ]);
    expect((await listen(underWay.jobId, stream.lastEventId)).status).toBe(204);
    const wholeResult = async (jobId: string): Promise<void> => {
      const { manifest, assets } = await after.retrieveJobResult(jobId);
      expect(manifest.items.length).toBeGreaterThan(0);
      for (const { url } of assets) expect((await after.download(url)).length).toBeGreaterThan(0);
    };
    await wholeResult(ended.jobId);
    const archive = await after.waitForArchive(ended.jobId);
    expect((await after.download(present(archive.downloadUrl, "URL"))).length).toBeGreaterThan(0);

    const notified = async () => {
      const lines = (await readFile(join(logs, "worker.log"), "utf8")).split("\n");
      return lines.filter((line) => line.includes('"job_unlisted"')).join("\n");
    };
    await expect.poll(notified, { timeout: 150_000 }).toContain(underWay.jobId);

    const lost = expect.arrayContaining(
      [ended, underWay].map(({ jobId }) => expect.objectContaining({ jobId, found: "missing" })),
    );
    expect(await admin("relist", "--dry-run")).toEqual({ code: 1, rows: lost });
    expect(await admin("relist")).toEqual({ code: 0, rows: lost });
    expect(await admin("relist")).toEqual({ code: 0, rows: [] });
    expect(await admin("ledger-check")).toEqual({ code: 0, rows: [] });
    const { items } = await after.listJobs();
    expect(items.map(({ jobId, status }) => [jobId, status])).toEqual(
      [underWay, ended, older].map(({ jobId }) => [jobId, "success"]),
    );
    for (const { jobId } of items) await wholeResult(jobId);
  });
});

describe("a video job by the public API", () => {
  let apiKey: string;
  let client: ApiClient;
  let taskId: string;
  beforeAll(async () => {
    const database = await openLocalDatabase(stateFolder(stateDir));
    const account = { email: "clips@example.com", name: null, plan: "paid", keyLabel: "clips" } as const;
    apiKey = (await createAccount(database, account)).secret;
    client = createClient({ ...stack, apiKey });
    taskId = await client.upload(new Uint8Array(movingSquare(3)), "video/mp4");
  });

  it("returns tracked masks, a preview that plays and an archive, although everything was killed in the middle [2.5-12]", async () => {
    const { jobId } = await client.createVideoJob({
      prompts: ["bright", "slow"],
      tasks: [taskId],
      numFrames: FRAMES,
      generatePreview: true,
      formats: ["coco"],
    });
    const reached = Promise.withResolvers<number>();
    const control = new AbortController();
    const interrupted = createClient({ ...stack, apiKey, signal: control.signal })
      .waitForJob(jobId, { onAnswer: (_, share) => share > 0 && reached.resolve(share) })
      .catch(() => undefined);
    const share = await reached.promise;
    expect(share).toBeLessThan(1);
    await stack.kill();
    // It would continue asking for a while.
    control.abort();
    await interrupted;

    stack = await start();
    client = createClient({ ...stack, apiKey });
    const shares: number[] = [];
    const job = await client.waitForJob(jobId, {
      onAnswer: (_, progress) => shares.push(progress),
    });
    expect(job).toMatchObject({ status: "success", processingMode: "video", tasks: [{ error: null }] });
    expect(shares.at(-1)).toBe(1);
    expect(shares.some((progress) => progress > 0 && progress < 1)).toBe(true);

    const { manifest, assets } = await client.retrieveVideoJobResult(jobId);
    const keys = [`masks/${taskId}/masks.json`, `preview/${taskId}.mp4`, `annotations/${taskId}.json`];
    expect(assets.map((asset) => asset.key)).toEqual(keys);
    const counts = { framesProcessed: FRAMES, framesWithMasks: FRAMES, totalMasks: FRAMES };
    expect(manifest.items).toMatchObject([
      { taskId, units: FRAMES, numFrames: FRAMES, scoreThreshold: 0, counts },
    ]);

    const files = await Promise.all(assets.map((asset) => client.download(asset.url)));
    const masks = MasksJson.parse(JSON.parse(Buffer.from(at(files, 0)).toString()));
    expect([masks.width, masks.height]).toEqual([320, 240]);
    expect(masks.frames.flatMap(({ objects }) => objects.map(({ objectId }) => objectId))).toEqual(
      Array.from({ length: FRAMES }, () => 1),
    );
    expect(Buffer.from(at(files, 1)).toString("latin1", 4, 8)).toBe("ftyp");
    const document = CocoClip.parse(JSON.parse(Buffer.from(at(files, 2)).toString()));
    expect(document.images.map(({ frame_index }) => frame_index)).toEqual(
      masks.frames.map(({ frameIdx }) => frameIdx),
    );
    expect(document.annotations.map(({ track_id }) => track_id)).toEqual(Array(FRAMES).fill(1));
    expect(masksOf(document.annotations)).toHaveLength(FRAMES);
    const preview = await fetch(at(assets, 1).url);
    expect(preview.headers.get("content-type")).toBe("video/mp4");
    await preview.body?.cancel();

    const archive = await client.waitForArchive(jobId);
    const archived = readStrictly(await client.download(present(archive.downloadUrl, "downloadUrl")));
    expect([...archived.keys()]).toEqual(["output_manifest.json", "annotations.json", ...keys]);
    for (const [i, key] of keys.entries()) expect(archived.get(key)?.equals(at(files, i)), key).toBe(true);
    const text = present(archived.get("output_manifest.json"), "manifest").toString();
    expect(only(ArchivedVideoManifest.parse(JSON.parse(text)).items)).toMatchObject({
      masks: keys[0],
      previewUrl: keys[1],
    });
  });

  it("charges processed frames, and nothing for an unreadable video", async () => {
    const broken = await client.upload(panClip(3).slice(0, 40_000), "video/mp4");
    const { jobId } = await client.createVideoJob({ prompts: ["bright"], tasks: [broken], maxFrames: 1 });
    const job = await client.waitForJob(jobId);
    expect(job.status).toBe("failed");
    expect(job.error).toMatch(/^video_truncated: /);
    await expect
      .poll(
        async () => {
          const { stdout } = await run(process.execPath, ["scripts/operate/admin.ts", "ledger-check"], {
            env: { ...process.env, STATE_DIR: stateDir },
          });
          return stdout;
        },
        { timeout: 150_000, interval: 1_000 },
      )
      .toMatch(/agree/);
    const response = await fetch(`${stack.baseUrl}/v1/account/overview`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect(await response.json()).toMatchObject({ tokenUsageLast24h: FRAMES });
  });
});
