import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ModelDescription } from "@segmentation/protocol";
import { listen } from "../../../scripts/shared/listen.ts";
import { type Rig, SERVICE_TOKEN, startRig, until } from "../support/service/running-service.ts";

const SHA256 = "5a".repeat(32);
const CONTENT = "a decoder's graph";

interface Put {
  readonly path: string;
  readonly type: string | undefined;
  readonly length: string | undefined;
  readonly content: string;
}

const puts: Put[] = [];
let status: 200 | 403 = 200;
const app = new Hono();
app.put("/bucket/decoder", async (c) => {
  const [type, length] = [c.req.header("content-type"), c.req.header("content-length")];
  const { pathname, search } = new URL(c.req.url);
  puts.push({ path: pathname + search, type, length, content: await c.req.text() });
  return c.body(null, status);
});
const storage = createAdaptorServer({ fetch: app.fetch });
let origin: string;
let folder: string;
let rig: Rig;
beforeAll(async () => {
  origin = await listen(storage);
  folder = await mkdtemp(join(tmpdir(), "decoder-"));
  await writeFile(join(folder, "fixture-decoder.onnx"), CONTENT);
  rig = await startRig({ MODEL_FOLDER: folder, STORAGE_ORIGINS: origin });
  await rig.service.ready;
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  storage.close();
  await rm(folder, { recursive: true });
});

const ask = (changes: object = {}): Promise<Response> =>
  rig.ask("/v1/decoder", {
    method: "POST",
    headers: { authorization: `Bearer ${SERVICE_TOKEN}` },
    body: JSON.stringify({
      sha256: SHA256,
      url: `${origin}/bucket/decoder?signature=secret`,
      headers: { "content-type": "application/octet-stream" },
      ...changes,
    }),
  });

test("the model's description names its decoder's digest and size", async () => {
  const described = ModelDescription.parse(await (await rig.ask("/v1/model")).json());
  expect(described.decoder).toEqual({ sha256: SHA256, bytes: CONTENT.length });
});

test("the decoder goes to a signed URL as it is, and the log has no URL", async () => {
  expect((await ask()).status).toBe(202);
  await until(() => rig.lines.some((line) => line.includes("decoder_stored")));
  expect(puts).toEqual([
    {
      path: "/bucket/decoder?signature=secret",
      type: "application/octet-stream",
      length: String(CONTENT.length),
      content: CONTENT,
    },
  ]);
  expect(rig.lines.join()).not.toContain("signature=secret");
});

test("storage's refusal is logged, and the next request tries again", async () => {
  status = 403;
  await ask();
  await until(() => rig.lines.some((line) => line.includes("decoder_not_stored")));
  status = 200;
  const stored = rig.lines.filter((line) => line.includes("decoder_stored")).length;
  await ask();
  await until(() => rig.lines.filter((line) => line.includes("decoder_stored")).length > stored);
});

test.for([
  ["of another model", { sha256: "0f".repeat(32) }, 409, "other_decoder"],
  ["to a foreign origin", { url: "https://elsewhere.example/x" }, 403, "origin_not_allowed"],
  ["without a URL", { url: undefined }, 400, "invalid_request"],
] as const)("a decoder %s is refused by name", async ([, changes, code, error]) => {
  const response = await ask(changes);
  expect([response.status, await response.json()]).toMatchObject([code, { error }]);
});
