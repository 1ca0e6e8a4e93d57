import { env } from "cloudflare:workers";
import { encodeRle } from "@segmentation/masks";
import {
  annotationIdOf,
  annotationLine,
  categoriesOf,
  type Completion,
  END_OF_ANNOTATIONS,
  imageIdOf,
  openAnnotations,
} from "@segmentation/protocol";
import { vi } from "vitest";
import { outputKey } from "../../../src/shared/bucket/object-keys.ts";
import type { Client } from "./api.ts";
import { callBack, deliverTask, output, type PlayedInference } from "./inference.ts";

/** The size of every picture whose masks a test makes. */
export const SIZE = { width: 40, height: 30 };

/** A mask of one rectangle of such a picture. */
export function rectangle(x: number, y: number, width: number, height: number) {
  const data = new Uint8Array(SIZE.width * SIZE.height);
  for (let row = y; row < y + height; row++)
    data.fill(255, row * SIZE.width + x, row * SIZE.width + x + width);
  const box = [x, y, width, height];
  return { box, area: width * height, rle: encodeRle({ ...SIZE, data }) };
}

export type Found = ReturnType<typeof rectangle> & {
  readonly promptIndex?: number;
  readonly regionIndex?: number;
};

/** A job as the list shows it, once there is one that has not ended. */
const nextJob = (client: Client): Promise<string> =>
  vi.waitFor(
    async () => {
      const { body } = await client.send("GET", "/v1/jobs?status=queued");
      if (body.items.length === 0) throw new Error("there is no job yet");
      return body.items[0].jobId;
    },
    { timeout: 60_000 },
  );

/** Completes the account's next job: every picture of it has these objects. Returns its id. */
export async function finishNextJob(
  inference: PlayedInference,
  client: Client,
  found: readonly Found[] | Completion,
): Promise<string> {
  const jobId = await nextJob(client);
  const { body } = await client.send("GET", `/v1/jobs/${jobId}`);
  for (const [index, { taskId }] of body.tasks.entries()) {
    await deliverTask(jobId, taskId);
    const task = inference.last;
    if ("outcome" in found) {
      await callBack(task, "complete", found);
      continue;
    }
    const lease = Number(task.key.split(".").at(-1));
    const keyOf = (name: string) => outputKey({ accountId: client.accountId, jobId }, taskId, lease, name);
    const image = { id: imageIdOf(index), ...SIZE, file_name: taskId };
    const lines = found.map(({ box: bbox, area, rle: segmentation }, maskIndex) => {
      const id = annotationIdOf(index, maskIndex);
      return annotationLine(
        { id, image_id: image.id, category_id: 1, segmentation, bbox, area },
        maskIndex === 0,
      );
    });
    const head = openAnnotations({ images: [image], categories: categoriesOf(task.prompts) });
    await env.MEDIA.put(keyOf("annotations.json"), [head, ...lines, END_OF_ANNOTATIONS].join(""));
    await env.MEDIA.put(keyOf("preview.png"), "a preview");
    for (const maskIndex of found.keys()) await env.MEDIA.put(keyOf(`masks/${maskIndex}.png`), "a mask");
    const masks = found.map(({ promptIndex, regionIndex }, maskIndex) => ({
      maskIndex,
      ...(regionIndex === undefined ? { promptIndex: promptIndex ?? 0 } : { regionIndex }),
      confidence: 0.9 - maskIndex / 100,
      file: `masks/${maskIndex}.png`,
    }));
    const done = output(0, { masks, coco: "annotations.json", preview: "preview.png" });
    await callBack(task, "complete", { outcome: "success", output: done });
  }
  return jobId;
}
