import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fetchDecoder, type InteractivePicture, MaskDecoder } from "segmentation-client/interactive";
import type { Page } from "playwright-core";
import { ImageResult, SegmentationClient } from "segmentation-client";
import { InferenceSession, Tensor } from "../../../inference-container/src/onnx/runtime.ts";
import { needChromium } from "../../shared/chromium.ts";
import { PROJECT_ROOT } from "../../shared/root.ts";
import { openSample, placeOfSample } from "../../shared/studio-sample.ts";
import type { BenchRequest } from "../arguments.ts";
import { formatSpread, spread, markdownTable } from "../report.ts";
import { timed } from "../timed.ts";
import { withStack } from "../with-stack.ts";

type Point = readonly [x: number, y: number];

/** Points of the sample picture, in its pixels: the first one fills the caches, the others are measured. */
const [FIRST, ...POINTS]: readonly [Point, ...Point[]] = [
  [430, 330],
  [250, 120],
  [365, 290],
  [40, 30],
  [480, 60],
];

/** Clicks a point of the sample, and waits until the studio lists its mask, the page's `nth` one. */
async function click(page: Page, [x, y]: Point, nth: number): Promise<void> {
  const place = await placeOfSample(page);
  await page.mouse.click(place.x + x * place.scale, place.y + y * place.scale);
  // Checks in each frame: a locator that has waited for a while checks every half second.
  await page.evaluate(`(async () => {
    const isListed = (name) => name.textContent === "Object ${nth}";
    while (![...document.querySelectorAll(".instances-name")].some(isListed)) await new Promise(requestAnimationFrame);
  })()`);
}

/** Makes a job of the same region, waits for it, and decodes its mask. */
async function ask(client: SegmentationClient, taskId: string, [x, y]: Point): Promise<void> {
  const regions = [{ taskId, points: [{ x, y, label: 1 as const }] }];
  const { jobId } = await client.api.createJob({ type: "image", tasks: [taskId], regions });
  await client.waitForJob(jobId);
  const result = await client.result(jobId);
  if (!(result instanceof ImageResult)) throw new TypeError("The job has no pictures.");
  await Promise.all(result.masks.map(async (mask) => await mask.bitmap()));
}

/** Decodes the mask of a point with the embedding, as the client library does it. */
async function decode(picture: InteractivePicture, [x, y]: Point): Promise<void> {
  await picture.decode({ points: [{ x, y, label: 1 }] });
}

/** Measures the time of a click in the studio of a stack with the embedded model. Returns the report's lines. */
export async function benchClick({ rounds }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const browser = await needChromium();
  const runs: { readonly clicked: number; readonly asked: number; readonly decoded: number }[] = [];
  let bytes = 0;
  try {
    await withStack(signal, async ({ address }) => {
      const client = new SegmentationClient(address);
      const runtime = { InferenceSession, Tensor };
      const decoder = await MaskDecoder.load(runtime, await fetchDecoder(client), { intraOpNumThreads: 1 });
      const sample = await readFile(join(PROJECT_ROOT, "samples", "coffee.png"));
      for (let round = 0; round < rounds; round++) {
        const page = await openSample(browser, address);
        await click(page, FIRST, 1);
        const taskId = await client.upload(new Blob([sample], { type: "image/png" }));
        await ask(client, taskId, FIRST);
        const embedding = await client.embed({ taskId });
        bytes = embedding.bytes.length;
        const picture = decoder.open(embedding.bytes);
        await decode(picture, FIRST);
        for (const [i, point] of POINTS.entries()) {
          signal.throwIfAborted();
          const clicked = await timed(() => click(page, point, i + 2));
          const asked = await timed(() => ask(client, taskId, point));
          runs.push({ clicked, asked, decoded: await timed(() => decode(picture, point)) });
        }
        await page.close();
      }
      await decoder.release();
    });
  } finally {
    await browser.close();
  }
  return [
    "",
    ...markdownTable(
      [
        `median [least–most] of ${runs.length}`,
        "click in the studio",
        "client library",
        "÷",
        "decoded by the client",
        "÷ client library",
      ],
      [
        [
          "from the point to its mask, ms",
          formatSpread(spread(runs.map(({ clicked }) => clicked))),
          formatSpread(spread(runs.map(({ asked }) => asked))),
          formatSpread(spread(runs.map(({ clicked, asked }) => clicked / asked)), 2),
          formatSpread(spread(runs.map(({ decoded }) => decoded))),
          formatSpread(spread(runs.map(({ decoded, asked }) => decoded / asked)), 2),
        ],
      ],
    ),
    "",
    `The embedding has ${(bytes / 1_000_000).toFixed(2)} MB. The client decodes in one thread, without a request.`,
  ];
}
