import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  type Answer,
  answerOf,
  type Client,
  fetchWorker,
  newClient,
} from "../../support/worker/client/api.ts";
import { type Found, finishNextJob, rectangle, SIZE } from "../../support/worker/fixtures/bridges.ts";
import { DESCRIPTION } from "../../support/worker/fakes/elsewhere.ts";
import { FakeInference, regionsOf } from "../../support/worker/fakes/inference.ts";
import { JPEG } from "../../support/worker/fixtures/jobs.ts";
import { overrideSettings } from "../../support/worker/runtime/settings.ts";
import { expectError } from "../../support/worker/client/wire.ts";

const IMAGE = btoa(String.fromCharCode(...JPEG));

let client: Client;
let inference: FakeInference;
let vocabulary: string | readonly string[];
beforeEach(async () => {
  client = await newClient();
  inference = new FakeInference();
  vocabulary = ["person", "car"];
  const fake = vi.mocked(globalThis.fetch).getMockImplementation();
  vi.mocked(globalThis.fetch).mockImplementation(async (input, init) =>
    new Request(input, init).url.endsWith("/v1/model")
      ? Response.json({ ...DESCRIPTION, vocabulary })
      : ((await fake?.(input, init)) ?? Response.error()),
  );
});

/** Sends a request like CVAT: the headers of Nuclio's dashboard, and the credentials of its host as Basic authentication. */
const ask = async (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const sent = {
    authorization: `Basic ${btoa(`cvat:${client.key}`)}`,
    "content-type": "application/json",
    "x-nuclio-project-name": "cvat",
    "x-nuclio-function-namespace": "nuclio",
    "x-nuclio-invoke-via": "domain-name",
    ...headers,
  };
  const init = { method, headers: sent, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return answerOf(await fetchWorker(new Request(`https://api.test${path}`, init)));
};

const invoke = (name: string, body: object): Promise<Answer> =>
  ask("POST", "/api/function_invocations", body, { "x-nuclio-function-name": name, "x-nuclio-path": "/" });

async function answerOfFunction(name: string, body: object, found: readonly Found[]) {
  const answer = invoke(name, { image: IMAGE, ...body });
  await finishNextJob(inference, client, found);
  expect((await answer).status).toBe(200);
  return (await answer).body;
}

describe("the functions of CVAT", () => {
  it.each(["/api", "/integrations/cvat/api"])(
    "are listed below %s: an interactor, and a detector of the model's words [A21-8]",
    async (root) => {
      const { status, body } = await ask("GET", `${root}/functions`);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(["segmentation-interactor", "segmentation-detector"]);
      for (const [name, each] of Object.entries<object>(body)) {
        expect(each).toMatchObject({
          metadata: { name },
          status: { state: "ready" },
          spec: { description: expect.any(String) },
        });
        expect((await ask("GET", `${root}/functions/${name}`)).body).toEqual(each);
      }
      const { annotations } = body["segmentation-detector"].metadata;
      expect(annotations.type).toBe("detector");
      expect(JSON.parse(annotations.spec).map(({ name }: { name: string }) => name)).toEqual([
        "person",
        "car",
      ]);
      expect(body["segmentation-interactor"].metadata.annotations).toMatchObject({
        type: "interactor",
        version: "2",
        min_pos_points: "0",
      });
      for (const other of ["other", "constructor", "toString", "__proto__", "hasOwnProperty"])
        expectError(await ask("GET", `${root}/functions/${other}`), 404, "not_found");
    },
  );

  it("have the operator's labels; and of a model that knows any phrase there is only the interactor without them [A21-8]", async () => {
    vocabulary = "open";
    expect(Object.keys((await ask("GET", "/api/functions")).body)).toEqual(["segmentation-interactor"]);
    overrideSettings({ CVAT_LABELS: ["traffic light", "car"] });
    const { body } = await ask("GET", "/api/functions/segmentation-detector");
    expect(JSON.parse(body.metadata.annotations.spec)).toMatchObject([
      { name: "traffic light" },
      { name: "car" },
    ]);
  });

  it("draw the clicked object: a mask of the picture's size, and a second click stores nothing [A21-9 A21-10]", async () => {
    const clicks = { pos_points: [[24, 12]], neg_points: [[2, 2]], obj_bbox: null };
    const { mask } = await answerOfFunction("segmentation-interactor", clicks, [
      { ...rectangle(20, 10, 8, 6), regionIndex: 0 },
    ]);
    expect([mask.length, mask[0].length]).toEqual([SIZE.height, SIZE.width]);
    for (const [y, row] of mask.entries())
      for (const [x, value] of row.entries())
        expect(value).toBe(x >= 20 && x < 28 && y >= 10 && y < 16 ? 255 : 0);
    const points = [
      { x: 24, y: 12, label: 1 },
      { x: 2, y: 2, label: 0 },
    ];
    expect(regionsOf(inference.last)).toMatchObject([{ points }]);
    const taskIds = async () => {
      const { body } = await client.send("GET", "/v1/jobs");
      const jobs = await Promise.all(
        body.items.map(({ jobId }: { jobId: string }) => client.send("GET", `/v1/jobs/${jobId}`)),
      );
      return new Set(jobs.map((job: Answer) => job.body.tasks[0].taskId));
    };
    const empty = { ...rectangle(0, 0, 0, 0), regionIndex: 0 };
    await answerOfFunction(
      "segmentation-interactor",
      { pos_points: [[25, 12]], neg_points: null, obj_bbox: [] },
      [empty],
    );
    expect((await taskIds()).size).toBe(1);
  });

  it.each([
    [
      [
        [30, 20],
        [10, 5],
      ],
    ],
    [[10, 5, 30, 20]],
  ])("draw the object in a box, given as %j [A21-9]", async (obj_bbox) => {
    const body = { pos_points: [], neg_points: [], obj_bbox };
    await answerOfFunction("segmentation-interactor", body, [{ ...rectangle(12, 8, 4, 4), regionIndex: 0 }]);
    expect(regionsOf(inference.last)).toMatchObject([{ box: [10, 5, 20, 15] }]);
  });

  it("detect objects: label, confidence, mask within its box, outline [A21-9]", async () => {
    const car = { ...rectangle(3, 4, 3, 2), promptIndex: 1 };
    const found = await answerOfFunction("segmentation-detector", { threshold: 0.4 }, [car]);
    expect(found).toEqual([
      {
        label: "car",
        confidence: "0.9",
        type: "mask",
        points: [3, 4, 6, 4, 6, 6, 3, 6],
        mask: [1, 1, 1, 1, 1, 1, 3, 4, 5, 5],
      },
    ]);
    expect(inference.last).toMatchObject({ prompts: ["person", "car"], threshold: 0.4 });
  });

  it("name the error, its account and its request [A21-6 A21-7]", async () => {
    const interactor = "segmentation-interactor";
    expectError(await invoke("other", {}), 404, "not_found");
    expectError(await invoke(interactor, {}), 400, "invalid_request");
    expectError(await invoke(interactor, { image: "%%%", pos_points: [[1, 1]] }), 400, "invalid_request");
    expectError(
      await invoke(interactor, { image: btoa("text"), pos_points: [[1, 1]] }),
      400,
      "import_type_unsupported",
    );
    expectError(
      await invoke(interactor, { image: IMAGE, pos_points: [], neg_points: [[1, 1]] }),
      400,
      "invalid_request",
    );
    expectError(await invoke(interactor, { image: "A".repeat(20_000_001) }), 400, "body_too_large");
    expectError(
      await ask("GET", "/api/functions", undefined, { authorization: "Basic eDp5" }),
      401,
      "Unauthorized",
    );
    overrideSettings({ CVAT: false });
    for (const path of ["/api/functions", "/integrations/cvat/api/functions"])
      expectError(await ask("GET", path), 404, "not_found");
  });
});
