import { beforeEach, describe, expect, it } from "vitest";
import { filesOf, type Completion } from "@segmentation/protocol";
import { mostMasks } from "../../../src/jobs/rules/task-outputs.ts";
import { MOST_ARCHIVES } from "../../../src/jobs/rules/archive.ts";
import { type Client, newClient } from "../../support/worker/client/api.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { callBack, deliverTask, FakeInference, success } from "../../support/worker/fakes/inference.ts";
import { imageJob, uploads } from "../../support/worker/fixtures/jobs.ts";
import { SINGLE_FILES } from "../../support/a-job.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const DAY = 86_400_000;
/** R2's price of an operation, in dollars. */
const CLASS_A = 4.5 / 1_000_000;
const CLASS_B = 0.36 / 1_000_000;

/** The maximum request for a job of one picture. */
const GREEDY = {
  prompts: Array.from({ length: 32 }, (_, i) => `thing ${i}`),
  formats: ["cutout", "coco", "yolo", "labelmap", "embedding"],
  generatePreview: true,
};
const MASKS = mostMasks({ prompts: 32, tasks: 1, regions: 0, filesPerMask: 2 });
/** A picture with this many masks and cutouts. */
const full = (masks: number): Completion =>
  success(masks, {
    cutout: true,
    preview: "preview.png",
    coco: "annotations.json",
    yolo: "labels.txt",
    labelmap: "labelmap.png",
    embedding: "embedding.bin",
  });

const filesOfDay = async ({ accountId }: Client): Promise<number> =>
  (await home.platform.ledger.use(accountId)).daily.files;

describe("the files of a day", () => {
  let client: Client;
  let inference: FakeInference;
  beforeEach(() => {
    inference = new FakeInference();
  });

  /** Creates jobs with as many files as possible, until the service refuses one. Returns the number of files written. */
  async function writeAll(end: "complete" | "cancel"): Promise<number> {
    let files = 0;
    const tasks = await uploads(client, 1);
    for (let i = 0; i < 300; i += 1) {
      const answer = await client.send("POST", "/v1/jobs", imageJob(tasks, GREEDY));
      const { status, body } = answer;
      if (status !== 202) {
        expectError(answer, 402, "daily_limit_reached");
        return files;
      }
      await deliverTask(body.jobId, tasks[0] ?? "");
      const completion = full(MASKS);
      if (completion.outcome !== "success") throw new Error("the test reports a success");
      files += filesOf(completion.output).length;
      if (end === "complete") await callBack(inference.last, "complete", completion);
      else await client.send("POST", `/v1/jobs/${body.jobId}/cancel`);
      await expect.poll(async () => (await home.platform.ledger.use(client.accountId)).activeJobs).toBe(0);
    }
    return files;
  }

  it.each([
    ["complete", 1],
    ["cancel", 2],
  ] as const)(
    "bound an attacker's monthly cost of bucket operations, with jobs left to %s",
    async (end, count) => {
      overrideSettings({ MAX_UNITS_PER_DAY: 300 });
      client = await newClient();
      const days: number[] = [];
      for (let day = 0; day < count; day += 1, later(DAY)) days.push(await writeAll(end));
      const most = Math.max(...days);
      // Five pictures: a sixth would be more than 65,000.
      expect(most).toBe(5 * (2 * MASKS + 5));
      const month = 30 * most * (CLASS_A + MOST_ARCHIVES * CLASS_B);
      expect(month.toFixed(2)).toBe("15.56");
    },
  );

  it("are the written ones: unused reservations are free again at the job's end", async () => {
    overrideSettings({ MAX_UNITS_PER_DAY: 300 });
    client = await newClient();
    const [taskId = ""] = await uploads(client, 1);
    const { body } = await client.send("POST", "/v1/jobs", imageJob([taskId], GREEDY));
    expect(await filesOfDay(client)).toBe(2 * MASKS + SINGLE_FILES);
    await deliverTask(body.jobId, taskId);
    await callBack(inference.last, "complete", full(3));
    await expect.poll(() => filesOfDay(client)).toBe(2 * 3 + 5);
  });

  it("do not count for a job canceled before the inference service took it", async () => {
    client = await newClient();
    const { body } = await client.send("POST", "/v1/jobs", imageJob(await uploads(client, 3), GREEDY));
    expect(await filesOfDay(client)).toBeGreaterThan(29_000);
    await client.send("POST", `/v1/jobs/${body.jobId}/cancel`);
    await expect.poll(() => filesOfDay(client)).toBe(0);
  });

  it("leave a trial room for two of the largest jobs", async () => {
    client = await newClient("trial");
    const job = imageJob(await uploads(client, 3), GREEDY);
    const first = await client.send("POST", "/v1/jobs", job);
    expect(first.status).toBe(202);
    await client.send("POST", `/v1/jobs/${first.body.jobId}/cancel`);
    expect((await client.send("POST", "/v1/jobs", job)).status).toBe(202);
  });
});
