import { createHash } from "node:crypto";
import { fetchDecoder } from "segmentation-client/interactive";
import { SegmentationClient } from "segmentation-client";
import { Hono } from "hono";
import { expect, it } from "vitest";
import { serve } from "../support/serve.ts";

const FILE = "a decoder";
const sha256 = createHash("sha256").update(FILE).digest("hex");
const MODEL = {
  id: "m",
  family: "f",
  version: "1",
  vocabulary: "open",
  attributes: true,
  regions: { box: true, points: true, clips: true },
  video: true,
  formats: ["coco", "embedding"],
};

/** A client of a service whose answers about its model are these, one after the other. */
async function clientOf(models: ((base: string) => object)[]): Promise<SegmentationClient> {
  const app = new Hono();
  app.get("/v1/model", (c) => {
    const [model = () => MODEL, ...others] = models;
    if (others.length > 0) models.shift();
    return c.json(model(new URL(c.req.url).origin));
  });
  app.get("/decoders/:name", (c) => c.body(FILE));
  return new SegmentationClient({ baseUrl: await serve(app), apiKey: "sk_live_decoder" });
}

const withDecoder = (digest: string) => (base: string) => ({
  ...MODEL,
  interactive: {
    decoder: { url: `${base}/decoders/${digest}.onnx`, bytes: FILE.length, sha256: digest },
    embedding: { format: 1, units: 1 },
  },
});

it("fetches the decoder, once the service has stored it", async () => {
  const client = await clientOf([() => MODEL, withDecoder(sha256)]);
  expect(new TextDecoder().decode(await fetchDecoder(client))).toBe(FILE);
});

it.each([
  ["a model without embeddings", () => ({ ...MODEL, formats: ["coco"] }), "returns no embeddings"],
  ["a damaged file", withDecoder("0f".repeat(32)), "The decoder is damaged"],
])("refuses %s", async (_, model, reason) => {
  await expect(fetchDecoder(await clientOf([model]))).rejects.toThrow(reason);
});
