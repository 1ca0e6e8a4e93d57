import { beforeEach, describe, expect, it } from "vitest";
import { type Client, newClient } from "../../../support/worker/client/api.ts";
import {
  failure,
  finishJob,
  FakeInference,
  success,
  videoSuccess,
} from "../../../support/worker/fakes/inference.ts";
import { newJob, newVideoJob } from "../../../support/worker/fixtures/jobs.ts";
import { costOf, entriesOf, makeCustomer } from "../../../support/worker/fixtures/ledger.ts";
import { home } from "../../../support/worker/runtime/databases.ts";

describe("the ledger", () => {
  let client: Client;
  let inference: FakeInference;
  beforeEach(async () => {
    client = await newClient("trial");
    inference = new FakeInference();
  });

  const trial = async (of = client) => (await of.send("GET", "/v1/account/overview")).body.trial;

  const meterEvents = async () => (await home.DB.prepare("SELECT * FROM meter_events").all()).results;

  describe("of a paid account", () => {
    let paid: Client;
    beforeEach(async () => {
      paid = await newClient("paid");
    });

    it("has every unit, and touches no trial", async () => {
      const { jobId, tasks } = await newJob(paid, 2);
      await finishJob(inference, paid.accountId, jobId, tasks);
      await expect.poll(() => entriesOf(jobId)).toHaveLength(3);
      expect(await trial(paid)).toMatchObject({ status: "eligible", consumedTokens: 0 });
      expect(await meterEvents()).toEqual([]);
    });

    it("reports a customer's used units to the meter once, in the transaction of their settlement [4.10-14]", async () => {
      const customerId = await makeCustomer(paid.accountId);
      const { jobId, tasks } = await newJob(paid, 3);
      await finishJob(inference, paid.accountId, jobId, tasks, (_, i) =>
        i === 0 ? failure(false) : success(),
      );
      await expect.poll(() => entriesOf(jobId)).toHaveLength(3);
      const settledAt = await home.DB.prepare("SELECT at FROM ledger WHERE kind = 'settle'").first("at");
      const event = { customer_id: customerId, units: 2, at: settledAt, last_tried_at: null, sent_at: null };
      expect(await meterEvents()).toMatchObject([event]);
      await home.platform.jobs.retire(jobId, costOf(3), Date.now());
      expect(await meterEvents()).toMatchObject([event]);
    });

    it("reports nothing to the meter for a failed job, or one settled before the account was a customer", async () => {
      const early = await newJob(paid);
      await finishJob(inference, paid.accountId, early.jobId, early.tasks);
      await expect.poll(() => entriesOf(early.jobId)).toHaveLength(3);
      await makeCustomer(paid.accountId);
      await home.platform.jobs.retire(early.jobId, costOf(1), Date.now());
      const failed = await newJob(paid);
      await finishJob(inference, paid.accountId, failed.jobId, failed.tasks, () => failure(false));
      await expect.poll(() => entriesOf(failed.jobId)).toHaveLength(3);
      expect(await meterEvents()).toEqual([]);
    });

    it("reports nothing to the meter for units of a customer's trial", async () => {
      const { jobId, tasks } = await newJob(client);
      await makeCustomer(client.accountId, "active");
      await finishJob(inference, client.accountId, jobId, tasks);
      await expect.poll(() => entriesOf(jobId)).toHaveLength(3);
      expect(await meterEvents()).toEqual([]);
    });

    it.each([
      [{}, 3_600],
      [{ numFrames: 20 }, 20],
      [{ numFrames: 20, maxFrames: 12 }, 12],
      [{ fps: 2, maxFrames: 5_000 }, 3_600],
    ])(
      "reserves the most frames of a video %j, and releases all after a failure [4.3-27]",
      async (changes, most) => {
        const { jobId, taskId } = await newVideoJob(paid, changes);
        expect(await entriesOf(jobId)).toEqual([["reserve", most]]);
        const problem = failure(false, "video_unreadable");
        await finishJob(inference, paid.accountId, jobId, [taskId], () => problem);
        await expect
          .poll(() => entriesOf(jobId))
          .toEqual([
            ["reserve", most],
            ["settle", 0],
            ["release", most],
          ]);
        expect((await paid.send("GET", `/v1/jobs/${jobId}`)).body).toMatchObject({
          status: "failed",
          error: expect.stringMatching(/^video_unreadable: /),
        });
      },
    );

    it.each([
      [{}, 137, 137, 3_463],
      [{ maxFrames: 12 }, 12, 12, 0],
      [{ numFrames: 5 }, 6, 5, 0],
    ])(
      "settles the frames that a video %j had processed, %i, never more than were reserved, and meters them [3.1-9]",
      async (changes, frames, settled, released) => {
        await makeCustomer(paid.accountId);
        const { jobId, taskId } = await newVideoJob(paid, changes);
        await finishJob(inference, paid.accountId, jobId, [taskId], () => videoSuccess(frames));
        await expect
          .poll(() => entriesOf(jobId))
          .toEqual([
            ["reserve", settled + released],
            ["settle", settled],
            ["release", released],
          ]);
        expect(await meterEvents()).toMatchObject([{ units: settled }]);
        const { body } = await paid.send("GET", "/v1/account/overview");
        expect(body.tokenUsageLast24h).toBe(settled);
      },
    );
  });
});
