import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient, type ApiClient } from "../../scripts/shared/api-client.ts";
import { Segmentation } from "../../src/segment/contract/segment.ts";
import { at, only } from "../support/at.ts";
import { maskPixels, sample } from "../support/media/sample.ts";
import { type FileServer, startFileServer } from "../support/network/file-server.ts";
import { type SharedStack, useSharedStack } from "../support/stack/shared-stack.ts";

const COFFEE = sample("coffee");

describe("a segmentation with one request, on the whole stack", () => {
  let stack: SharedStack;
  let client: ApiClient;
  let source: FileServer;
  beforeAll(async () => {
    stack = await useSharedStack();
    client = createClient(stack);
    source = await startFileServer({ "/coffee.png": (response) => response.end(COFFEE) });
  });
  afterAll(() => source.close());

  const segment = async (body: FormData | object) => {
    const isForm = body instanceof FormData;
    const response = await fetch(`${stack.baseUrl}/v1/segment`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${stack.apiKey}`,
        ...(!isForm && { "content-type": "application/json" }),
      },
      body: isForm ? body : JSON.stringify(body),
    });
    const json: unknown = await response.json();
    expect(response.status, JSON.stringify(json)).toBe(200);
    return Segmentation.parse(json);
  };

  /** A form with the photograph first, as people write it for curl. */
  const formOf = (...fields: readonly (readonly [string, string])[]): FormData => {
    const form = new FormData();
    form.append("image", new Blob([COFFEE]), "coffee.png");
    for (const [name, value] of fields) form.append(name, value);
    return form;
  };

  it("finds the cup and the spoon in a form's photograph; the masks are the job's [A26-1]", async () => {
    const found = await segment(formOf(["prompt", "cup"], ["prompt", "spoon"], ["generatePreview", "true"]));
    expect(found).toMatchObject({ width: 600, height: 400, previewUrl: expect.any(String) });
    expect(found.objects.map(({ prompt }) => prompt)).toEqual(["cup", "spoon"]);
    const { manifest } = await client.retrieveJobResult(found.jobId);
    const { masks } = only(manifest.items);
    for (const [i, { maskUrl, area, confidence }] of found.objects.entries()) {
      const mask = await maskPixels(await client.download(maskUrl));
      expect([mask.width, mask.height, mask.set]).toEqual([600, 400, area]);
      expect(confidence).toBe(at(masks, i).confidence);
    }
  });

  it("takes an upload, a URL and base64, with the same masks [A26-1]", async () => {
    const taskId = await client.upload(COFFEE, "image/png");
    const images = [
      { taskId },
      { url: source.url("/coffee.png") },
      { base64: Buffer.from(COFFEE).toString("base64") },
    ];
    const answers = [];
    for (const image of images) answers.push(await segment({ image, prompts: ["cup"] }));
    const shapes = answers.map(({ objects }) => objects.map(({ box, area }) => ({ box, area })));
    expect(shapes).toEqual([shapes[0], shapes[0], shapes[0]]);
    expect(new Set(answers.map(({ jobId }) => jobId)).size).toBe(3);
  });
});
