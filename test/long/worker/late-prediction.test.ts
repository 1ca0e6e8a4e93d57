import { expect, it } from "vitest";
import { type Answer, answerOf, fetchWorker, newClient } from "../../support/worker/client/api.ts";
import { finishNextJob, rectangle } from "../../support/worker/fixtures/bridges.ts";
import { FakeInference } from "../../support/worker/fakes/inference.ts";
import { JPEG } from "../../support/worker/fixtures/jobs.ts";
import { expectError } from "../../support/worker/client/wire.ts";

it("an annotation tool that repeats a request of more than 55 seconds gets the same job's answer [A21-11]", async () => {
  const client = await newClient();
  const inference = new FakeInference();
  const click = async (): Promise<Answer> => {
    const headers = {
      authorization: `Basic ${btoa(`cvat:${client.key}`)}`,
      "content-type": "application/json",
      "x-nuclio-function-name": "segmentation-interactor",
    };
    const image = btoa(String.fromCharCode(...JPEG));
    const body = JSON.stringify({ image, pos_points: [[24, 12]], neg_points: [] });
    const request = new Request("https://api.test/api/function_invocations", {
      method: "POST",
      headers,
      body,
    });
    return answerOf(await fetchWorker(request));
  };
  const late = await click();
  expectError(late, 409, "job_not_ready");
  expect(late.body.message).toMatch(/not charged again/);
  const again = click();
  await finishNextJob(inference, client, [{ ...rectangle(20, 10, 8, 6), regionIndex: 0 }]);
  expect((await again).status).toBe(200);
  expect((await client.send("GET", "/v1/jobs")).body.items).toHaveLength(1);
});
