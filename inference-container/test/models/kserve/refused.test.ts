import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { listen } from "../../../../scripts/shared/listen.ts";
import { loadModel } from "../../../src/models/load.ts";
import type { LoadOptions } from "../../../src/models/loaded-model.ts";
import {
  fixtureMetadata,
  type FakeServer,
  startPlayedServer,
} from "../../support/model-server/fake-model-server.ts";
import { type FolderChanges, fixtureFolder } from "./fixture-folder.ts";

let folder: string;
let server: FakeServer;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "kserve-"));
  server = await startPlayedServer();
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/** The reason why a folder can't be loaded. */
async function refusal(changes: FolderChanges = {}, options: Partial<LoadOptions> = {}): Promise<string> {
  await fixtureFolder(folder, server.origin, changes);
  try {
    await (await loadModel(folder, options)).close();
  } catch (error) {
    return String(error instanceof Error ? error.message : error).replaceAll(server.origin, "ORIGIN");
  }
  return "none";
}

describe("a server's model is refused, and the tensor is named,", () => {
  const model = 'the model "fixture" at ORIGIN'.replace("the", "The");
  it.each<readonly [string, (metadata: ReturnType<typeof fixtureMetadata>) => void, string]>([
    [
      "when it lacks an input",
      ({ inputs }) => void inputs.splice(1, 1),
      `${model} has no input "prompts"; its inputs are "image", "threshold", "content_hash".`,
    ],
    [
      "when it wants an input that nobody sends",
      ({ inputs }) => void inputs.push({ name: "points", datatype: "FP32", shape: [-1, 2] }),
      `${model} requires an input "points", which the service never sends.`,
    ],
    [
      "when it lacks an output",
      ({ outputs }) => void outputs.splice(3, 1),
      `${model} has no output "masks"; its outputs are "boxes", "scores", "prompt_index".`,
    ],
    [
      "when an output has another element type",
      ({ outputs }) => void Object.assign(outputs[2] ?? {}, { datatype: "INT64" }),
      `The output "prompt_index" of ${model} is INT64 [-1]; the service needs INT32 [-1].`,
    ],
    [
      "when its masks have another size",
      ({ outputs }) => void Object.assign(outputs[3] ?? {}, { shape: [-1, 256, 256] }),
      `The output "masks" of ${model} is FP16 [-1, 256, 256]; the service needs FP16 [-1, 288, 288].`,
    ],
    [
      "when it takes pictures of one size only",
      ({ inputs }) => void Object.assign(inputs[0] ?? {}, { shape: [1008, 1008, 3] }),
      `The input "image" of ${model} is UINT8 [1008, 1008, 3]; the service needs UINT8 [-1, -1, 3].`,
    ],
    [
      "when it has a batch's dimension",
      ({ inputs }) => void Object.assign(inputs[0] ?? {}, { shape: [-1, -1, -1, 3] }),
      `The input "image" of ${model} is UINT8 [-1, -1, -1, 3]; the service needs UINT8 [-1, -1, 3]. Its first dimension is a batch's: set the model's max_batch_size to 0.`,
    ],
  ])("%s", async (_, change, expected) => {
    change(server.metadata);
    expect(await refusal()).toBe(expected);
    expect(server.seen).toEqual([]);
  });

  it("accepts one that leaves fixed values open", async () => {
    Object.assign(server.metadata.outputs[3] ?? {}, { shape: [-1, -1, -1] });
    expect(await refusal()).toBe("none");
  });

  it("accepts numbers as strings, as some servers write 64-bit integers", async () => {
    Object.assign(server.metadata.outputs[0] ?? {}, { shape: ["-1", "4"] });
    expect(await refusal()).toBe("none");
  });
});

describe("a server is refused", () => {
  it.each([
    ["when it is not live", "live", "v2/health/live answered 400."],
    ["when it is not ready", "ready", "v2/health/ready answered 400."],
    [
      "when the model is not ready",
      "model",
      "v2/models/fixture/ready answered 400. Check the model's name and version in the manifest.",
    ],
  ] as const)("%s", async (_, which, said) => {
    server.health[which] = 400;
    expect(await refusal()).toBe(`The model "fixture" at ORIGIN is not ready: ${said}`);
  });

  it("when it can't be reached, and when its name does not resolve", async () => {
    await server.close();
    expect(await refusal()).toBe('The model "fixture" at ORIGIN can\'t be reached (ECONNREFUSED).');
    expect(await refusal({ server: { origin: "http://nowhere.invalid:8000" } })).toMatch(
      /^The model "fixture" at http:\/\/nowhere\.invalid:8000 can't be reached \((?:ENOTFOUND|EAI_AGAIN)\)\.$/,
    );
  });

  it("when it does not know the model", async () => {
    expect(await refusal({ server: { model: "another", version: "7" } })).toBe(
      'The model "another" (version 7) at ORIGIN is not ready: v2/models/another/versions/7/ready answered 400. Check the model\'s name and version in the manifest.',
    );
  });

  it("when it wants another token, which the reason never contains", async () => {
    server.token = "right";
    const reason = await refusal({}, { serverToken: "sesame" });
    expect(reason).toContain("answered 401. Set MODEL_SERVER_TOKEN to a token that the server accepts.");
    expect(reason).not.toContain("sesame");
  });

  it("when it redirects, and the other address is never asked", async () => {
    const asked: string[] = [];
    const elsewhere = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    });
    const location = `${await listen(elsewhere)}/`;
    const redirecting = createServer((_, response) => response.writeHead(307, { location }).end());
    const origin = await listen(redirecting);
    expect(await refusal({ server: { origin } })).toContain(
      "answered 307. Redirects are not followed: correct the origin in the manifest.",
    );
    expect(asked).toEqual([]);
    elsewhere.close();
    redirecting.close();
  });

  it("when it finds other or impossible objects in the golden picture", async () => {
    server.infer = () => ({ body: "{}" });
    expect(await refusal()).toContain('The answer is wrong at "outputs"');
    server.infer = () => ({ status: 500, body: JSON.stringify({ error: "CUDA out of memory" }) });
    expect(await refusal()).toContain('answered 500: {"error":"CUDA out of memory"}');
  });
});

describe("a server that is not ready yet", () => {
  it("is waited for if the service has the patience", async () => {
    server.health.ready = 400;
    const loading = refusal({}, { serverPatienceMs: 600_000 });
    while (server.paths.length < 4) await new Promise((resolve) => setTimeout(resolve, 20));
    server.health.ready = 200;
    expect(await loading).toBe("none");
  });
});

describe("a manifest is refused", () => {
  it.each([
    [{ origin: "http://triton:8000/v2" }, "an origin: scheme, host and port only"],
    [{ origin: "http://user:secret@triton:8000" }, "an origin: scheme, host and port only"],
    [{ origin: "file:///etc" }, "an origin: scheme, host and port only"],
    [{ model: "../admin" }, "a plain name"],
    [{ version: "1/infer?" }, "a plain name"],
    [{ concurrency: 0 }, "concurrency"],
  ])("with %j", async (change, expected) => {
    expect(await refusal({ server: change })).toContain(expected);
    expect(server.paths).toEqual([]);
  });
});
