import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { JobList, JobStatus } from "../../../../../src/jobs/contract/job.ts";
import { relistJobs } from "../../../../../src/operator/operations/relist-job.ts";
import { at } from "../../../../support/at.ts";
import { type Answer, type Client, newClient } from "../../../../support/worker/client/api.ts";
import { home } from "../../../../support/worker/runtime/databases.ts";
import {
  imageJob,
  newJob,
  newVideoJob,
  uploaded,
  videoJob,
} from "../../../../support/worker/fixtures/jobs.ts";
import { traces } from "../../../../support/worker/fixtures/ledger.ts";
import { expectError } from "../../../../support/worker/client/wire.ts";

let client: Client;
beforeEach(async () => {
  client = await newClient();
});

const send = (tasks: readonly string[], continues: string): Promise<Answer> =>
  client.send("POST", "/v1/jobs", imageJob(tasks, { continues }));
const create = async (tasks: readonly string[], continues: string): Promise<string> => {
  const { status, body } = await send(tasks, continues);
  expect({ status, body }).toMatchObject({ status: 202 });
  return body.jobId;
};
const list = async (query = ""): Promise<(readonly [jobId: string, continues: string | undefined])[]> => {
  const { body } = await client.send("GET", `/v1/jobs${query}`);
  return JobList.parse(body).items.map(({ jobId, continues }) => [jobId, continues]);
};

describe("createJob 202 of a job that continues another", () => {
  it("adds to the first job of its uploads through any number of jobs between, in the list and in its status [A5-24 A5-25]", async () => {
    const { jobId: first, tasks } = await newJob(client, 2);
    const second = await create([at(tasks, 1)], first);
    const third = await create([at(tasks, 1)], second);
    expect(await list()).toEqual([
      [third, first],
      [second, first],
      [first, undefined],
    ]);
    const status = JobStatus.parse((await client.send("GET", `/v1/jobs/${third}`)).body);
    expect(status.continues).toBe(first);
    expect((await client.send("GET", `/v1/jobs/${first}`)).body).not.toHaveProperty("continues");
  });

  it("is listed with the others of its first job on request, a page at a time [A5-26]", async () => {
    const { jobId: first, tasks } = await newJob(client);
    const made = [];
    for (let i = 0; i < 3; i += 1) made.unshift(await create(tasks, first));
    await newJob(client);
    expect(await list(`?continues=${first}`)).toEqual(made.map((jobId) => [jobId, first]));
    const page = (await client.send("GET", `/v1/jobs?continues=${first}&limit=2`)).body;
    const rest = `continues=${first}&limit=2&nextToken=${page.nextToken}`;
    expect(await list(`?${rest}`)).toEqual([[made[2], first]]);
    expectError(await client.send("GET", `/v1/jobs?nextToken=${page.nextToken}`), 400, "invalid_cursor");
    client = await newClient();
    expect(await list(`?continues=${first}`)).toEqual([]);
  });

  it("may be of a video, and stays when the first job is deleted [A5-25]", async () => {
    const { jobId: first, taskId } = await newVideoJob(client);
    const { body } = await client.send("POST", "/v1/jobs", videoJob(taskId, { continues: first }));
    await client.send("DELETE", `/v1/jobs/${first}`);
    expect(await list()).toEqual([[body.jobId, first]]);
  });

  it("is written back with its first job if the list has lost it [A5-25]", async () => {
    const { jobId: first, tasks } = await newJob(client);
    const second = await create(tasks, first);
    await home.DB.prepare("DELETE FROM jobs WHERE id = ?1").bind(second).run();
    await relistJobs(home.platform, [env.JOBS.idFromName(second).toString()], false);
    expect(await list()).toEqual([
      [second, first],
      [first, undefined],
    ]);
  });
});

describe("createJob 400 and 404 of a job that continues another", () => {
  it.each<[string, number, string, () => Promise<Answer>]>([
    [
      "of an upload that the other job has not",
      400,
      "task_not_continued",
      async () => {
        const { jobId, tasks } = await newJob(client);
        return send([...tasks, await uploaded(client)], jobId);
      },
    ],
    [
      "that does not exist",
      404,
      "job_not_found",
      async () => send([await uploaded(client)], "job_019aa0f61c4e7d2d9be7a5f40b8a6c21"),
    ],
    [
      "of another account",
      404,
      "job_not_found",
      async () => {
        const { jobId } = await newJob(await newClient());
        return send([await uploaded(client)], jobId);
      },
    ],
  ])("refuses a job %s: %i %s [A5-24]", async (_, status, code, ask) => {
    const answer = await ask();
    expectError(answer, status, code);
    expect((await traces()).jobs).toBeLessThanOrEqual(1);
  });
});
