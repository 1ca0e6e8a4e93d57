import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fetchDecoder, type InteractivePicture, MaskDecoder } from "segmentation-client/interactive";
import type { Browser, Page } from "playwright-core";
import { ImageResult, SegmentationClient } from "segmentation-client";
import { InferenceSession, Tensor } from "../../../inference-container/src/onnx/runtime.ts";
import { needChromium } from "../../shared/chromium.ts";
import { PROJECT_ROOT } from "../../shared/root.ts";
import type { StackAddress } from "../../shared/state/state-folder.ts";
import { openStudio, placeOfSample } from "../../shared/studio-sample.ts";
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

/** Moves the pointer to a point of the sample. */
async function moveTo(page: Page, [x, y]: Point): Promise<void> {
  const place = await placeOfSample(page);
  await page.mouse.move(place.x + x * place.scale, place.y + y * place.scale);
}

/**
 * Clicks a point of the sample, and waits until the studio lists its mask, the page's `nth` one. Returns milliseconds from the click,
 * on the page's clock: the way of the click into the browser is not the studio's.
 */
async function click(page: Page, point: Point, nth: number): Promise<number> {
  await moveTo(page, point);
  await page.mouse.down();
  await page.mouse.up();
  // Checks in each frame: a locator that has waited for a while checks every half second.
  return await page.evaluate(`(async () => {
    const isListed = (name) => name.textContent.startsWith("Object ${nth}");
    while (![...document.querySelectorAll(".instances-name")].some(isListed)) await new Promise(requestAnimationFrame);
    return performance.now() - window.clickedAt;
  })()`);
}

/** Notes when the page was clicked, when the pointer moved last, and the masks that the page's worker has drawn. */
const COUNT = `
  window.drawn = 0;
  addEventListener("pointerup", () => (window.clickedAt = performance.now()), true);
  addEventListener("pointermove", () => (window.movedAt = performance.now()), true);
  window.Worker = class extends Worker {
    constructor(...how) {
      super(...how);
      this.addEventListener("message", ({ data }) => (window.drawn += data?.done?.png ? 1 : 0));
    }
  };`;

/** Rests the pointer on a point, and waits for the mask of its preview. Returns milliseconds. */
async function preview(page: Page, point: Point): Promise<number> {
  const before: number = await page.evaluate("window.drawn");
  await moveTo(page, point);
  return await page.evaluate(`(async () => {
    while (window.drawn === ${before}) await new Promise(requestAnimationFrame);
    return performance.now() - window.movedAt;
  })()`);
}

/** Time for a preview's mask to be on the picture, where a click takes it. */
const SHOWN_MS = 200;

/** Clicks as `click`, while each request of the page takes 100 ms longer, as from another continent. Returns milliseconds. */
async function clickFarAway(page: Page, ...clicked: [point: Point, nth: number]): Promise<number> {
  await page.keyboard.press("Control+z");
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: 100,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  const took = await click(page, ...clicked);
  await session.detach();
  return took;
}

/** Opens the sample, clicks its first point, and waits until the browser draws masks, or never does. */
async function openClicked(browser: Browser, address: StackAddress, isInstant: boolean): Promise<Page> {
  const page = await openStudio(browser, address);
  await page.addInitScript(COUNT);
  if (!isInstant) await page.route(/\/decoders\//, (route) => route.abort());
  await page.reload();
  await page.getByText("Try this sample").click();
  await page.getByText("From then on, masks come at once").waitFor();
  await click(page, FIRST, 1);
  await page.getByText(isInstant ? "Enter keeps all that is new" : "1 unit each. Shift-click").waitFor();
  return page;
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

/** Milliseconds from a point to its mask. */
interface Run {
  readonly served: number;
  readonly previewed: number;
  readonly taken: number;
  readonly clicked: number;
  /** With slower requests. */
  readonly servedFar: number;
  readonly clickedFar: number;
  readonly asked: number;
  readonly decoded: number;
}

/** Measures the time of a click in the studio of a stack with the embedded model. Returns the report's lines. */
export async function benchClick({ rounds }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const browser = await needChromium();
  const runs: Run[] = [];
  let bytes = 0;
  try {
    await withStack(signal, async ({ address }) => {
      const client = new SegmentationClient(address);
      const runtime = { InferenceSession, Tensor };
      const decoder = await MaskDecoder.load(runtime, await fetchDecoder(client), { intraOpNumThreads: 1 });
      const sample = await readFile(join(PROJECT_ROOT, "samples", "coffee.png"));
      for (let round = 0; round < rounds; round++) {
        const jobs = await openClicked(browser, address, false);
        const instant = await openClicked(browser, address, true);
        const taskId = await client.upload(new Blob([sample], { type: "image/png" }));
        await ask(client, taskId, FIRST);
        const embedding = await client.embed({ taskId });
        bytes = embedding.bytes.length;
        const picture = decoder.open(embedding.bytes);
        await decode(picture, FIRST);
        for (const [i, point] of POINTS.entries()) {
          signal.throwIfAborted();
          const served = await click(jobs, point, i + 2);
          const previewed = await preview(instant, point);
          await instant.waitForTimeout(SHOWN_MS);
          const taken = await click(instant, point, i + 2);
          await instant.keyboard.press("Control+z");
          // Another point, whose mask is not drawn yet.
          const clicked = await click(instant, [point[0] + 3, point[1]], i + 2);
          const servedFar = await clickFarAway(jobs, point, i + 2);
          const clickedFar = await clickFarAway(instant, point, i + 2);
          const asked = await timed(() => ask(client, taskId, point));
          const decoded = await timed(() => decode(picture, point));
          runs.push({ served, previewed, taken, clicked, servedFar, clickedFar, asked, decoded });
        }
        for (const page of [jobs, instant]) await page.close();
      }
      await decoder.release();
    });
  } finally {
    await browser.close();
  }
  const row = (name: string, of: keyof Run): string[] => [
    name,
    formatSpread(spread(runs.map((run) => run[of]))),
    formatSpread(spread(runs.map((run) => run[of] / run.served)), 2),
    formatSpread(spread(runs.map((run) => run[of] / run.asked)), 2),
  ];
  return [
    "",
    ...markdownTable(
      [`median [least–most] of ${runs.length}`, "ms", "÷ click, a job", "÷ client library, a job"],
      [
        row("click in the studio, a job", "served"),
        row("click in the studio, drawn by the browser", "clicked"),
        row("preview in the studio, with the rest of 100 ms", "previewed"),
        row("click on the preview", "taken"),
        row("click, a job, with 100 ms more per request", "servedFar"),
        row("click, drawn by the browser, with 100 ms more per request", "clickedFar"),
        row("client library, a job", "asked"),
        row("client library, decoded with onnxruntime-node", "decoded"),
      ],
    ),
    "",
    `The embedding has ${(bytes / 1_000_000).toFixed(2)} MB. Browser and client decode in one thread, without a request.`,
  ];
}
