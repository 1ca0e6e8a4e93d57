import { beforeEach, describe, expect, it, vi } from "vitest";
import { forgetPlatforms } from "../../../src/platform.ts";
import {
  type Answer,
  answerOf,
  type Client,
  fetchWorker,
  newClient,
} from "../../support/worker/client/api.ts";
import { finishNextJob } from "../../support/worker/fixtures/bridges.ts";
import { home } from "../../support/worker/runtime/databases.ts";
import { fakeModelAndPictures } from "../../support/worker/fakes/elsewhere.ts";
import { failure, FakeInference } from "../../support/worker/fakes/inference.ts";
import { JPEG, uploaded } from "../../support/worker/fixtures/jobs.ts";
import { later } from "../../support/worker/runtime/time.ts";
import { expectError } from "../../support/worker/client/wire.ts";

let client: Client;
let inference: FakeInference;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
  fakeModelAndPictures();
});

const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> => {
  const text = JSON.stringify(body);
  const init = {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa(`anybody:${client.key}`)}`,
      "content-type": "application/json",
      "content-length": String(text.length),
      ...headers,
    },
    body: text,
  };
  return answerOf(await fetchWorker(new Request(`https://api.test${path}`, init)));
};

const config = `<View><Image name="i" value="$image"/><BrushLabels name="b" toName="i"><Label value="cup"/></BrushLabels></View>`;
const predict = (images: readonly string[]): Promise<Answer> =>
  post("/integrations/label-studio/predict", {
    tasks: images.map((image) => ({ data: { image } })),
    label_config: config,
  });
const click = (): Promise<Answer> =>
  post(
    "/api/function_invocations",
    { image: btoa(String.fromCharCode(...JPEG)), pos_points: [[24, 12]] },
    { "x-nuclio-function-name": "segmentation-interactor" },
  );

const rows = async (sql: string): Promise<Record<string, unknown>[]> =>
  (await home.DB.prepare(sql).bind(client.accountId).all()).results;
const jobs = () => rows("SELECT id FROM jobs WHERE account_id = ?1");
const settled = () =>
  rows("SELECT coalesce(sum(units), 0) AS units FROM ledger WHERE account_id = ?1 AND kind = 'settle'");
const pictures = () => rows("SELECT task_id FROM uploads WHERE account_id = ?1");

const QUESTIONS: readonly (readonly [string, () => Promise<Answer>, number])[] = [
  ["a prediction", () => predict(["https://pictures.test/a.png", "https://pictures.test/b.png"]), 2],
  [
    "a prediction of one picture, twice",
    () => predict(["https://pictures.test/a.png", "https://pictures.test/a.png"]),
    1,
  ],
  ["a click", click, 1],
];

describe("a question that is asked again", () => {
  it.each(QUESTIONS)(
    "in another isolate, as %s, is one job and one charge, before its end and after [A21-11]",
    async (_name, question, units) => {
      const first = question();
      await vi.waitFor(async () => expect(await jobs()).toHaveLength(1), { timeout: 20_000 });
      forgetPlatforms();
      const again = question();
      await finishNextJob(inference, client, []);
      const answer = await first;
      expect(answer.status).toBe(200);
      expect((await again).body).toEqual(answer.body);
      forgetPlatforms();
      expect((await question()).body).toEqual(answer.body);
      expect(await jobs()).toHaveLength(1);
      expect(await pictures()).toHaveLength(units);
      await vi.waitFor(async () => expect(await settled()).toEqual([{ units }]), { timeout: 20_000 });
    },
  );

  it("at the same moment is one job [A21-11]", async () => {
    const both = [click(), click()];
    await vi.waitFor(async () => expect(await jobs()).toHaveLength(1), { timeout: 20_000 });
    await finishNextJob(inference, client, []);
    for (const { status } of await Promise.all(both)) expect(status).toBe(200);
    expect(await jobs()).toHaveLength(1);
  });

  it("of uploads that are one picture gives each task its own answer", async () => {
    const taskId = await uploaded(client);
    const images = [`upload:${taskId}`, "https://pictures.test/a.png", `upload:${taskId}`];
    const first = predict(images);
    await finishNextJob(inference, client, []);
    const { body } = await first;
    expect(body.results).toHaveLength(3);
    forgetPlatforms();
    expect((await predict(images)).body).toEqual(body);
    expect(await jobs()).toHaveLength(1);
  });

  it("after a failure is a new job, and so it is after an hour [A21-11]", async () => {
    const failing = click();
    await finishNextJob(inference, client, failure(false));
    expectError(await failing, 409, "job_not_ready");
    for (const hours of [0, 1]) {
      later(hours * 3_600_000 + 1);
      const next = click();
      await finishNextJob(inference, client, []);
      expect((await next).status).toBe(200);
      expect(await jobs()).toHaveLength(2 + hours);
    }
  });

  it("after its job or its picture was deleted is asked again", async () => {
    const first = click();
    const jobId = await finishNextJob(inference, client, []);
    expect((await first).status).toBe(200);
    expect((await client.send("DELETE", `/v1/jobs/${jobId}`)).status).toBe(204);
    const [picture] = await pictures();
    expect((await client.send("DELETE", `/v1/uploads/${String(picture?.["task_id"])}`)).status).toBe(204);
    forgetPlatforms();
    const again = click();
    expect(await finishNextJob(inference, client, [])).not.toBe(jobId);
    expect((await again).status).toBe(200);
  });

  it("by another account is a separate one", async () => {
    const first = click();
    await finishNextJob(inference, client, []);
    expect((await first).status).toBe(200);
    client = await newClient();
    const other = click();
    await finishNextJob(inference, client, []);
    expect((await other).status).toBe(200);
    expect(await jobs()).toHaveLength(1);
  });
});
