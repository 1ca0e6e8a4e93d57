import { beforeEach, describe, expect, it } from "vitest";
import { type Client, newClient } from "../../../../support/worker/client/api.ts";
import { finishJob, FakeInference, success } from "../../../../support/worker/fakes/inference.ts";
import { newJob, uploads } from "../../../../support/worker/fixtures/jobs.ts";
import { entriesOf } from "../../../../support/worker/fixtures/ledger.ts";
import { expectError } from "../../../../support/worker/client/wire.ts";

const EMBEDDING = { formats: ["embedding"] };

let client: Client;
let inference: FakeInference;
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
});

const create = (body: object) => client.send("POST", "/v1/jobs", { type: "image", ...body });

describe("createJob of embeddings", () => {
  it("takes pictures without prompts and regions, at a unit each", async () => {
    const tasks = await uploads(client, 2);
    const { status, body } = await create({ tasks, ...EMBEDDING });
    expect({ status, body }).toMatchObject({ status: 202, body: { totalItems: 2 } });
    const { jobId } = body;
    await finishJob(inference, client.accountId, jobId, tasks, () =>
      success(0, { embedding: "embedding.bin" }),
    );
    const formats = { wanted: ["embedding"], taskId: tasks[1], index: 1 };
    expect(inference.last).toMatchObject({ prompts: [], formats, limits: { masks: 0 } });
    await expect
      .poll(() => entriesOf(jobId))
      .toEqual([
        ["reserve", 2],
        ["settle", 2],
        ["release", 0],
      ]);
    const { body: result } = await client.send("GET", `/v1/jobs/${jobId}/result`);
    const keys = result.assets.map((asset: { readonly key: string }) => asset.key);
    expect(keys).toEqual(tasks.map((taskId) => `embeddings/${taskId}.bin`));
  });

  it("takes regions of some pictures", async () => {
    const tasks = await uploads(client, 2);
    const regions = [{ taskId: tasks[0], box: [0, 0, 9, 9] }];
    expect((await create({ tasks, regions, ...EMBEDDING })).status).toBe(202);
  });

  it("charges for an embedding that comes with a refinement", async () => {
    const { jobId, tasks, taskId } = await newJob(client, 1);
    await finishJob(inference, client.accountId, jobId, tasks, () => success(1));
    const regions = [{ taskId, points: [{ x: 1, y: 1, label: 1 }], refines: { jobId, maskIndex: 0 } }];
    const { body } = await create({ tasks, regions, ...EMBEDDING });
    expect((await entriesOf(body.jobId))[0]?.[1]).toBe(1);
  });

  it("requires prompts or regions with all other formats, and with a video", async () => {
    const tasks = await uploads(client, 1);
    expectError(await create({ tasks, formats: ["coco"] }), 400, "invalid_request");
    expectError(await create({ type: "video", tasks, ...EMBEDDING }), 400, "invalid_request");
  });
});
