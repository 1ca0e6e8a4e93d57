import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CocoClip, masksOf } from "../../inference-container/test/support/formats.ts";
import { MasksJson } from "../../inference-container/test/support/masks-json.ts";
import { movingSquare } from "../../inference-container/test/support/moving-square.ts";
import { createClient, type ApiClient } from "../../scripts/client/api-client.ts";
import { ArchivedVideoManifest } from "../../src/contract/result.ts";
import { at, only, present } from "../support/at.ts";
import { PLANTED } from "../support/chaos/models.ts";
import { panClip } from "../support/node/pan-clip.ts";
import { spawnStack, type SpawnedStack } from "../support/node/spawn-stack.ts";
import { readStrictly } from "../support/node/strict-zip.ts";

/** A lost holder is noticed soon, and every frame's end is reported. What a crash loses does not depend on the model. */
const ENV = {
  LEASE_SECONDS: "6",
  RESEND_SECONDS: "2",
  HEARTBEAT_SECONDS: "1",
  CHAOS_SERVICE: PLANTED.service,
  ...PLANTED.env,
};
const FRAMES = 6;

describe("a video job by the public API", () => {
  let stateDir: string;
  let stack: SpawnedStack;
  let client: ApiClient;
  let taskId: string;
  const start = (): Promise<SpawnedStack> =>
    spawnStack({ stateDir, launcher: "test/support/chaos/start.ts", env: ENV });
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), "video-"));
    stack = await start();
    client = createClient(stack);
    taskId = await client.upload(new Uint8Array(movingSquare(3)), "video/mp4");
  });
  afterAll(async () => {
    expect(await stack.stop()).toBe(0);
    await rm(stateDir, { recursive: true });
  });

  it("gives tracked masks, a preview that plays and an archive, although everything was killed in the middle [2.5-12]", async () => {
    const { jobId } = await client.createVideoJob({
      prompts: ["bright", "slow"],
      tasks: [taskId],
      numFrames: FRAMES,
      generatePreview: true,
      formats: ["coco"],
    });
    const reached = Promise.withResolvers<number>();
    const control = new AbortController();
    const interrupted = createClient({ ...stack, signal: control.signal })
      .waitForJob(jobId, { onAnswer: (_, share) => share > 0 && reached.resolve(share) })
      .catch(() => undefined);
    const share = await reached.promise;
    expect(share).toBeLessThan(1);
    await stack.kill();
    // It would continue asking for a while.
    control.abort();
    await interrupted;

    stack = await start();
    client = createClient(stack);
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

  it("charges the frames that were processed, and nothing for a clip that can't be read", async () => {
    const broken = await client.upload(panClip(3).slice(0, 40_000), "video/mp4");
    const { jobId } = await client.createVideoJob({ prompts: ["bright"], tasks: [broken], maxFrames: 1 });
    const job = await client.waitForJob(jobId);
    expect(job.status).toBe("failed");
    expect(job.error).toMatch(/^video_truncated: /);
    await expect
      .poll(
        async () => {
          const { stdout } = await promisify(execFile)(
            process.execPath,
            ["scripts/admin.ts", "ledger-check"],
            {
              env: { ...process.env, STATE_DIR: stateDir },
            },
          );
          return stdout;
        },
        { timeout: 150_000, interval: 1_000 },
      )
      .toMatch(/agree/);
    const response = await fetch(`${stack.baseUrl}/v1/account/overview`, {
      headers: { authorization: `Bearer ${stack.apiKey}` },
    });
    expect(await response.json()).toMatchObject({ tokenUsageLast24h: FRAMES });
  });
});
