import { env } from "cloudflare:workers";
import { beforeEach, expect, it, vi } from "vitest";
import { ArchiveDownload } from "../../../src/jobs/contract/archive.ts";
import { ARCHIVE_MIB } from "../../../src/archives/operations/build-archive.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { deliverArchive, successfulJob } from "../../support/worker/fixtures/archives.ts";
import { logged as linesFromNow } from "../../support/worker/runtime/crons.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { deliverAgain } from "../../support/worker/fakes/inference.ts";

let client: Client;
let jobId: string;

beforeEach(async () => {
  client = await newClient();
  // Two tasks with three masks and a preview each, so nine files with the manifest.
  ({ jobId } = await successfulJob(client, 2, 3));
});

const path = () => `/v1/jobs/${jobId}/download`;
const request = () => client.send("POST", path());
const poll = async () => ArchiveDownload.parse((await client.send("GET", path())).body);

it("an archive waits in its queue while its isolate builds two others in the same memory", async () => {
  await request();
  const lines = linesFromNow();
  const { memory } = home.platform;
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const others = [1, 2].map((other) => memory.within(`job_${other}`, Date.now(), () => isOver, ARCHIVE_MIB));
  expect(await deliverArchive(jobId)).toMatchObject({ explicitAcks: [], retryMessages: { length: 1 } });
  // Its retries are for failures: before they are used up, a new message takes its place.
  const sent = vi.spyOn(env.ARCHIVE_QUEUE, "send");
  const again = await deliverAgain(4, env, "segmentation-archive", { v: 1, jobId });
  expect(again).toMatchObject({ explicitAcks: ["m0"], retryMessages: [] });
  expect(sent.mock.calls).toEqual([[{ v: 1, jobId }, { delaySeconds: expect.any(Number) }]]);
  expect(lines().filter(({ level }) => level !== "info")).toEqual([]);
  end();
  await Promise.all(others);
  await deliverArchive(jobId);
  expect((await poll()).status).toBe("ready");
});
