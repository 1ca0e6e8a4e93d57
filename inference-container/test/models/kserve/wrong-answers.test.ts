import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadModel } from "../../../src/models/load.ts";
import type { Model } from "../../../src/models/model.ts";
import { type Fake, type FakeTensor } from "../../support/model-server/fake-answer.ts";
import { find, tensorsOf } from "../../support/model-server/fake-model.ts";
import { type FakeServer, startPlayedServer } from "../../support/model-server/fake-model-server.ts";
import { type Seen } from "../../support/model-server/fake-request.ts";
import { ask, blue, picture } from "../fixture-scene.ts";
import { fixtureFolder } from "./fixture-folder.ts";

let folder: string;
let server: FakeServer;
let model: Model;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kserve-"));
  server = await startPlayedServer();
  model = await loadModel(await fixtureFolder(folder, server.origin));
});
afterAll(async () => {
  await model.close();
  await server.close();
  await rm(folder, { recursive: true });
});

/** The fixture answer with one tensor changed. */
const withTensor = (name: string, change: (tensor: FakeTensor) => Partial<FakeTensor>) => (seen: Seen) => ({
  tensors: (find(seen).tensors ?? []).map((tensor) =>
    tensor.name === name ? { ...tensor, ...change(tensor) } : tensor,
  ),
});
const withValue = (name: string, value: number) =>
  withTensor(name, ({ values }) => ({ values: [value, ...values.slice(1)] }));
const withBox = (...box: number[]) => withTensor("boxes", () => ({ values: box }));
const sent =
  (how: Partial<Fake>) =>
  (seen: Seen): Fake => ({ ...find(seen), ...how });

describe("an impossible answer is refused, and its fault is named:", () => {
  it.each<readonly [string, (seen: Seen) => Fake, string]>([
    [
      "an output is missing",
      (seen) => ({ tensors: find(seen).tensors?.slice(0, 3) ?? [] }),
      'The answer lacks the output "masks".',
    ],
    [
      "another element type",
      withTensor("scores", () => ({ datatype: "FP64" })),
      'The output "scores" is FP64 [1]; FP32 [1] was expected.',
    ],
    [
      "another shape",
      withTensor("boxes", () => ({ shape: [4, 1] })),
      'The output "boxes" is FP32 [4, 1]; FP32 [1, 4] was expected.',
    ],
    [
      "masks of another size",
      withTensor("masks", () => ({ shape: [1, 256, 324] })),
      'The output "masks" is FP16 [1, 256, 324]; FP16 [1, 288, 288] was expected.',
    ],
    [
      "one box too many",
      withTensor("boxes", () => ({ shape: [2, 4], values: [...blue, ...blue] })),
      'The output "boxes" is FP32 [2, 4]; FP32 [1, 4] was expected.',
    ],
    [
      "a batch's dimension",
      withTensor("scores", () => ({ shape: [1, 1] })),
      'The output "scores" is FP32 [1, 1]',
    ],
    [
      "fewer bytes than its shape needs",
      withTensor("boxes", () => ({ values: [1, 2, 3] })),
      'The output "boxes" has 12 bytes instead of 16.',
    ],
    [
      "fewer numbers in JSON",
      (seen) => ({ ...withTensor("boxes", () => ({ values: [1, 2] }))(seen), json: ["boxes"] }),
      'The output "boxes" has not 4 numbers for 1 objects.',
    ],
    [
      "more bytes than its outputs have",
      sent({ body: (body) => Buffer.concat([body, Buffer.alloc(7)]) }),
      "The answer has 7 bytes more than its outputs.",
    ],
    [
      "fewer bytes than its outputs have",
      sent({ body: (body) => body.subarray(0, -9) }),
      'The output "masks" has 165888 bytes; 165879 are left of the answer.',
    ],
    [
      "a length of its JSON that is beyond it",
      sent({ headers: { "inference-header-content-length": "99999999" } }),
      'Inference-Header-Content-Length is "99999999" in',
    ],
    [
      "a length of its JSON that is no number",
      sent({ headers: { "inference-header-content-length": "many" } }),
      'Inference-Header-Content-Length is "many" in',
    ],
    ["no JSON", sent({ body: "<html>", headers: {} }), "Inference-Header-Content-Length is"],
    ["text instead of JSON", () => ({ body: "<html></html>" }), "The answer's JSON part is no JSON."],
    ["JSON without outputs", () => ({ body: "{}" }), 'The answer is wrong at "outputs"'],
    [
      "a shape that is no shape",
      sent({ changed: (header) => JSON.parse(JSON.stringify(header).replace("[1,4]", "[-1,4]")) }),
      'The answer is wrong at "outputs.0.shape.0"',
    ],
    [
      "more objects than the manifest allows",
      (seen) => ({
        tensors: tensorsOf(
          Array.from({ length: 21 }, () => ({ promptIndex: 0, score: 0.9, box: blue })),
          seen,
        ).map((tensor) => (tensor.name === "masks" ? { ...tensor, values: [] } : tensor)),
      }),
      "The answer has 21 objects; the manifest allows 20.",
    ],
    [
      "more bytes than the objects allowed may have, announced",
      sent({ headers: { "content-length": "5000000" } }),
      "The answer is longer than 3383776 bytes.",
    ],
    [
      "more bytes than that, not announced",
      sent({ body: Buffer.alloc(4_000_000), chunk: 65_536 }),
      "The answer is longer than 3383776 bytes.",
    ],
    ["a prompt that nobody sent", withValue("prompt_index", 1), "prompt_index[0] is 1 of 1 prompts."],
    ["a prompt before the first", withValue("prompt_index", -1), "prompt_index[0] is -1 of 1 prompts."],
    ["a score above 1", withValue("scores", 1.5), "scores[0] is 1.5."],
    ["a score that is no number", withValue("scores", NaN), "scores[0] is NaN."],
    ["a logit that is not finite", withValue("masks", Infinity), "masks[0] has a logit that is not finite."],
    ["a logit that is no number", withValue("masks", NaN), "masks[0] has a logit that is not finite."],
    [
      "a box outside the picture",
      withBox(10, 10, 700, 100),
      "boxes[0] is [10, 10, 700, 100] in a picture of 640 × 360.",
    ],
    ["a box inside out", withBox(100, 10, 50, 100), "boxes[0] is [100, 10, 50, 100]"],
    ["a box that is no number", withBox(NaN, 10, 50, 100), "boxes[0] is [NaN, 10, 50, 100]"],
    [
      "another request's id",
      sent({ changed: (header) => ({ ...header, id: "another" }) }),
      "The answer's id is another request's.",
    ],
  ])("%s", async (_, infer, fault) => {
    server.infer = infer;
    const task = { key: "job.task.1", lane: "bulk" } as const;
    await expect(model.segment(picture, { ...ask("blue"), task })).rejects.toMatchObject({
      code: "model_output_invalid",
      cause: expect.stringContaining(fault),
    });
  });
});

describe("a box that is outside the picture by rounding alone", () => {
  it("is cut at the picture's side", async () => {
    server.infer = withBox(-0.4, 10, 640.6, 100);
    const { instances } = await model.segment(picture, ask("blue"));
    expect(instances[0]?.box).toEqual([0, 10, 640, 100]);
  });
});
