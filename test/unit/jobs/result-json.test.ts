import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ImageJobResult } from "../../../src/jobs/contract/result.ts";
import type { FinishedJob, FinishedTask } from "../../../src/jobs/rules/answers.ts";
import { assetsOf, manifestOf, resultJson } from "../../../src/jobs/rules/result.ts";
import type { Presigner } from "../../../src/shared/bucket/presigned-url.ts";
import { IMAGE_OUTPUT, imageJob } from "../../support/a-job.ts";

const A = "3d6f0a52-7f4c-4a57-9d1e-2f6f3b8f1c11.png";

const text = fc.string({ unit: "binary", minLength: 1, maxLength: 20 });
const taskId = fc.uuid().map((id) => `${id}.png`);
const common = {
  generatedAt: fc.constant("2026-01-02T03:04:05.678Z"),
  notice: fc.constant(null),
};

const imageTask = fc.record({
  taskId,
  lease: fc.nat(),
  output: fc.record({
    type: fc.constant("image" as const),
    units: fc.constant(1 as const),
    ...common,
    preview: fc.constantFrom(null, "preview.png"),
    masks: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }).map((confidences) =>
      confidences.map((confidence, maskIndex) => ({
        maskIndex,
        promptIndex: 0,
        confidence,
        file: `masks/${maskIndex}.png`,
      })),
    ),
  }),
});

const videoTask = fc.record({
  taskId,
  lease: fc.nat(),
  output: fc.record({
    type: fc.constant("video" as const),
    units: fc.nat(),
    ...common,
    framesWithMasks: fc.nat(),
    totalMasks: fc.nat(),
    masks: fc.constant("masks.json"),
    preview: fc.constantFrom(null, "preview.mp4"),
  }),
});

const definition = {
  lane: "bulk" as const,
  accountId: "acct_1",
  jobId: "job_1",
  taskIds: [],
  createdAt: 0,
  generatePreview: true,
};
const limits = { fps: 2.5, numFrames: null, maxFrames: 7, scoreThreshold: 0.25 };

const job: fc.Arbitrary<FinishedJob> = fc.oneof(
  fc
    .record({ prompts: fc.array(text), tasks: fc.array<FinishedTask>(imageTask, { maxLength: 5 }) })
    .map(({ prompts, tasks }): FinishedJob => ({
      definition: {
        ...definition,
        type: "image",
        processingMode: "batch",
        prompts,
        threshold: 0.5,
        maskThreshold: 0.5,
      },
      tasks,
    })),
  fc
    .record({ prompts: fc.array(text), tasks: fc.array<FinishedTask>(videoTask, { maxLength: 1 }) })
    .map(({ prompts, tasks }): FinishedJob => ({
      definition: { ...definition, type: "video", processingMode: "video", prompts, ...limits },
      tasks,
    })),
);

/** Counts its signatures; its URLs name the object. */
class FakeSigner implements Presigner {
  signatures = 0;
  async signature(key: string): Promise<string> {
    this.signatures += 1;
    return `signature of ${key}`;
  }
  url(key: string, signature: string): string {
    return `https://storage.example.com/${key}?${signature}`;
  }
}

describe("a result's JSON", () => {
  it("keeps a thousand signatures at most: the others are made again", async () => {
    const masks = Array.from({ length: 1_500 }, (_, maskIndex) => ({
      maskIndex,
      promptIndex: 0,
      confidence: 1,
      file: `masks/${maskIndex}.png`,
    }));
    const tasks = [{ taskId: A, lease: 1, output: { ...IMAGE_OUTPUT, masks } }];
    const signer = new FakeSigner();
    let json = "";
    for await (const piece of resultJson(imageJob([A]), () => tasks, signer, 900)) json += piece;
    expect(signer.signatures).toBe(1_500 + 500);
    const { manifest, assets } = ImageJobResult.parse(JSON.parse(json));
    expect(assets.map(({ url }) => url)).toEqual(manifest.items[0]?.masks.map(({ url }) => url));
  });

  it("equals the whole object byte for byte, and signs each output once", async () => {
    await fc.assert(
      fc.asyncProperty(job, async (finished) => {
        const signer = new FakeSigner();
        const urls = new Map<string, string>();
        for (const { key, objectKey } of assetsOf(finished)) {
          urls.set(key, signer.url(objectKey, await signer.signature(objectKey)));
        }
        const whole = {
          manifest: manifestOf(finished, (key) => urls.get(key) ?? "none"),
          assets: [...urls].map(([key, url]) => ({ key, url, expiresIn: 900 })),
          expiresIn: 900,
        };
        signer.signatures = 0;
        let json = "";
        for await (const piece of resultJson(finished.definition, () => finished.tasks, signer, 900))
          json += piece;
        expect(json).toBe(JSON.stringify(whole));
        expect(signer.signatures).toBe(whole.assets.length);
      }),
    );
  });
});
