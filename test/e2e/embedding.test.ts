import { ImageResult, SegmentationClient } from "segmentation-client";
import { fetchDecoder, MaskDecoder } from "segmentation-client/interactive";
import { iou } from "segmentation-client/masks";
import { beforeAll, describe, expect, it } from "vitest";
import { InferenceSession, Tensor } from "../../inference-container/src/onnx/runtime.ts";
import { only } from "../support/at.ts";
import { sample } from "../support/media/sample.ts";
import { type SharedStack, useSharedStack } from "../support/stack/shared-stack.ts";

const on = (x: number, y: number) => ({ x, y, label: 1 }) as const;

describe("a client with an embedding and the service's decoder", () => {
  let stack: SharedStack;
  beforeAll(async () => {
    stack = await useSharedStack();
  });

  it("draws and corrects the same masks as a job of the region", async () => {
    const client = new SegmentationClient(stack);
    const decoder = await MaskDecoder.load({ InferenceSession, Tensor }, await fetchDecoder(client));
    const { taskId, bytes } = await client.embed(new Blob([sample("coffee")], { type: "image/png" }));
    expect(bytes.length).toBeLessThan(4_500_000);
    const picture = decoder.open(bytes);

    /** Draws a region in a job, at this point. Returns the job's id and its mask. */
    const ask = async (point: ReturnType<typeof on>, refined?: string) => {
      const refines = refined !== undefined && { refines: { jobId: refined, maskIndex: 0 } };
      const regions = [{ taskId, points: [point], ...refines }];
      const { jobId } = await client.api.createJob({ type: "image", tasks: [taskId], regions });
      const result = await client.result(jobId);
      if (!(result instanceof ImageResult)) throw new TypeError("The job has no pictures.");
      return { jobId, mask: await only(result.masks).bitmap() };
    };
    const served = await ask(on(130, 230));
    const drawn = await picture.decode({ points: [on(130, 230)] });
    expect(iou(drawn.mask, served.mask)).toBeGreaterThan(0.98);
    const corrected = await ask(on(366, 283), served.jobId);
    const again = await picture.decode({ points: [on(366, 283)], prior: served.mask });
    expect(iou(again.mask, corrected.mask)).toBeGreaterThan(0.98);
    await decoder.release();
  });
});
