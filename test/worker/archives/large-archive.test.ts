import { env } from "cloudflare:workers";
import { strFromU8, unzipSync } from "fflate";
import { expect, it, vi } from "vitest";
import { filesOf, type Completion } from "@segmentation/protocol";
import { outputKey } from "../../../src/shared/bucket/object-keys.ts";
import { mapPool } from "../../../src/shared/pool.ts";
import { buildArchive } from "../../../src/archives/operations/build-archive.ts";
import { only, present } from "../../support/at.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import {
  buildUntilCutOff,
  builderOf,
  loseLease,
  WatchedMedia,
} from "../../support/worker/fixtures/archive-builders.ts";
import { callBack, deliverTask, output, FakeInference } from "../../support/worker/fakes/inference.ts";
import { newJob } from "../../support/worker/fixtures/jobs.ts";
import { amount, Draw } from "../../support/worker/client/random.ts";

const TASKS = amount({ short: 6, long: 100 });
const MASKS = amount({ short: 20, long: 300 });
const SLICE_FILES = amount({ short: 20, long: 5_000 });
/** Latency of the bucket: the local one is faster than any bucket behind a network. */
const LATENCY_MS = amount({ short: 1, long: 30 });
const TIMEOUT_MS = amount({ short: 240_000, long: 1_800_000 });

const contentOf = (name: string): string => `${"bytes of a mask ".repeat(20)}${name}`;

/** Creates a successful job with this many pictures and masks, found by two prompts. */
async function jobOfManyFiles(client: Client): Promise<{ jobId: string; names: string[] }> {
  const { jobId, tasks } = await newJob(client, TASKS, { prompts: ["cat", "dog"] });
  const inference = new FakeInference();
  const masks = output(MASKS).masks.map((mask) => ({ ...mask, promptIndex: mask.maskIndex % 2 }));
  const completion = { outcome: "success", output: output(0, { masks }) } satisfies Completion;
  const names: string[] = [];
  for (const taskId of tasks) {
    await deliverTask(jobId, taskId);
    const lease = Number(inference.last.key.split(".").at(-1));
    await mapPool(filesOf(completion.output), 16, async ({ name }) => {
      const key = outputKey({ accountId: client.accountId, jobId }, taskId, lease, name);
      await env.MEDIA.put(key, contentOf(`masks/${taskId}/${name.replace("masks/", "")}`));
    });
    names.push(...masks.map(({ maskIndex }) => `masks/${taskId}/${maskIndex}.png`));
    const { status } = await callBack(inference.last, "complete", completion);
    expect(status).toBe(204);
  }
  return { jobId, names };
}

it(
  "an archive of 30,000 files (fewer in the short form) is built over several messages with any interruptions",
  async () => {
    const client = await newClient();
    const { jobId, names } = await jobOfManyFiles(client);
    await client.send("POST", `/v1/jobs/${jobId}/download`);
    const logged = vi.spyOn(console, "log");
    const draw = new Draw();
    const policy = { archiveSliceFiles: SLICE_FILES, archiveKeepMs: 0 };
    const status = async () => (await client.send("GET", `/v1/jobs/${jobId}/download`)).body.status;

    let cuts = 0;
    while (cuts < 5) {
      await buildUntilCutOff(jobId, 7 + draw.upTo(5), policy);
      await loseLease(jobId);
      expect(await status()).toBe("processing");
      cuts += 1;
    }

    const media = new WatchedMedia();
    media.beforeRead = () => new Promise((answered) => setTimeout(answered, LATENCY_MS));
    const begun = performance.now();
    let messages = 0;
    while ((await status()) === "processing") {
      await buildArchive(builderOf({ archiveSliceFiles: SLICE_FILES }, media), jobId);
      messages += 1;
    }
    const seconds = (performance.now() - begun) / 1_000;

    expect(await status()).toBe("ready");
    expect(media.mostAtATime).toBe(6);
    expect(messages).toBeGreaterThan(3);
    const built = logged.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(only(built.filter(({ event }) => event === "archive_built"))).toMatchObject({
      files: names.length + 1,
      messages: cuts + messages,
    });
    logged.mockRestore();
    console.log(
      `${media.reads} gets of ${LATENCY_MS} ms each (${(media.reads * LATENCY_MS) / 1_000} s one after another): ${seconds.toFixed(1)} s in ${messages} messages`,
    );

    const { key } = only((await env.MEDIA.list({ prefix: "archives/" })).objects);
    const object = present(await env.MEDIA.get(key));
    const files = unzipSync(new Uint8Array(await object.arrayBuffer()));
    expect(Object.keys(files)).toEqual(["output_manifest.json", ...names]);
    for (const name of names) expect(strFromU8(files[name] ?? new Uint8Array())).toBe(contentOf(name));
  },
  TIMEOUT_MS,
);
