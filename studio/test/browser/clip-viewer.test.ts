import { execFileSync } from "node:child_process";
import type { Page } from "playwright-core";
import type { MasksJson } from "segmentation-client";
import { encodeRle } from "segmentation-client/masks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { draw } from "../../../client/test/support/shapes.ts";
import { findFfmpeg } from "../../../inference-container/src/video/ffmpeg.ts";
import { closeBrowser, openPage } from "../../../test/support/browser/studio.ts";
import { maskColour } from "../../src/viewer/colours.ts";
import { type ServedPage, servePage } from "../support/serve-page.ts";
import { over, seesColour } from "./pixels.ts";

/** A video of 20 frames, each of a different gray; every second one was processed. */
const SIZE = { width: 320, height: 160 };
const FRAMES = 20;
const greyOf = (frame: number): number[] => Array.from({ length: 3 }, () => 30 + 10 * frame);

function greyClip(rate: number): Uint8Array<ArrayBuffer> {
  const picture = `color=black:s=${SIZE.width}x${SIZE.height}:r=${rate}:d=${FRAMES / rate},format=rgb24`;
  const grey = "geq=r='30+10*N':g='30+10*N':b='30+10*N',format=yuv420p";
  const to = "-c:v libvpx -b:v 1M -deadline realtime -cpu-used 5 -f webm pipe:1".split(" ");
  const from = ["-v", "error", "-f", "lavfi", "-i", picture, "-vf", grey];
  return new Uint8Array(execFileSync(findFfmpeg(process.env), [...from, ...to]));
}

/** A square that goes 20 pixels to the right with each processed frame, `from` pixels below the top, and a second one that stays except in the last frames. */
function masksJson(rate: number, from = 20): MasksJson {
  const square = (left: number, top: number) =>
    encodeRle(draw(SIZE.width, SIZE.height, (x, y) => x > left && x < left + 20 && y > top && y < top + 20));
  return {
    version: 1,
    ...SIZE,
    fps: rate / 2,
    frames: Array.from({ length: FRAMES / 2 }, (_, sampleIdx) => ({
      sampleIdx,
      frameIdx: sampleIdx * 2,
      timeSec: (2 * sampleIdx) / rate,
      objects: [
        {
          objectId: 0,
          promptIndex: 0,
          score: 0.9,
          box: [0, 0, 1, 1] as const,
          rle: square(20 * sampleIdx, from),
        },
        ...(sampleIdx < 6
          ? [{ objectId: 1, promptIndex: 1, score: 0.9, box: [0, 0, 1, 1] as const, rle: square(100, 100) }]
          : []),
      ],
    })),
  };
}

/** The middle of the square that moves, in a frame of twice the video's size. */
const moving = (sample: number): { x: number; y: number } => ({ x: 2 * (20 * sample + 10), y: 60 });
const STAYING = { x: 220, y: 220 };
const BESIDE = { x: 500, y: 250 };
const rgb = (object: number): readonly number[] => maskColour(object).rgb;

describe("the viewer of videos", () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
    served.put("clip.webm", greyClip(10));
    served.put("masks.json", JSON.stringify(masksJson(10)));
    served.put("lower.json", JSON.stringify(masksJson(10, 60)));
    served.put("quick.webm", greyClip(30));
    served.put("quick.json", JSON.stringify(masksJson(30)));
  });
  afterAll(async () => {
    await closeBrowser();
    await served.close();
  });

  async function openClip(): Promise<Page> {
    const { page, complaints } = await openPage(served.url, { viewport: { width: 640, height: 320 } });
    await page.waitForFunction(() => window.viewer !== undefined);
    await page.evaluate(() => window.viewer.openClip("clip.webm", "masks.json"));
    await seesColour(page, moving(0), over(rgb(0), greyOf(0), 0.5));
    expect(complaints).toEqual([]);
    return page;
  }
  const seek = (page: Page, seconds: number) => page.evaluate((to) => window.viewer.seek(to), seconds);

  it("shows each frame with its masks, after any other frame", async () => {
    const page = await openClip();
    for (const frame of [8, 2, 16, 17]) {
      await seek(page, frame / 10);
      const sample = Math.floor(frame / 2);
      await seesColour(page, BESIDE, greyOf(frame));
      await seesColour(page, moving(sample), over(rgb(0), greyOf(frame), 0.5));
      await seesColour(page, moving(sample - 1), greyOf(frame));
    }
  });

  it("shows the masks of another job of the same video, on the frame that is there", async () => {
    const page = await openClip();
    await seek(page, 0.8);
    await seesColour(page, moving(4), over(rgb(0), greyOf(8), 0.5));
    await page.evaluate(() => window.viewer.showMasks("lower.json"));
    await seesColour(page, { ...moving(4), y: 140 }, over(rgb(0), greyOf(8), 0.5));
    await seesColour(page, moving(4), greyOf(8));
  });

  it("shows no mask of an object that is hidden, or was not seen then", async () => {
    const page = await openClip();
    await seek(page, 0.8);
    await seesColour(page, STAYING, over(rgb(1), greyOf(8), 0.5));
    await page.evaluate(() => (window.viewer.hiddenObjects.value = [1]));
    await seesColour(page, STAYING, greyOf(8));
    await page.evaluate(() => (window.viewer.hiddenObjects.value = []));
    await seesColour(page, STAYING, over(rgb(1), greyOf(8), 0.5));
    await seek(page, 1.4);
    await seesColour(page, STAYING, greyOf(14));
  });

  it("names and highlights the object under the pointer while the video continues", async () => {
    const page = await openClip();
    await seek(page, 0.4);
    await page.mouse.move(STAYING.x, STAYING.y);
    await seesColour(page, STAYING, over(rgb(1), greyOf(4), 0.55));
    expect(await page.evaluate(() => window.viewer.highlightedObject.value)).toBe(1);
    await seesColour(page, moving(2), over(rgb(0), greyOf(4), 0.2));
    // The list next to it names another one.
    await page.evaluate(() => (window.viewer.highlightedObject.value = 0));
    await seesColour(page, moving(2), over(rgb(0), greyOf(4), 0.55));
    await seesColour(page, STAYING, over(rgb(1), greyOf(4), 0.2));
  });

  it("stays on the frame that a person chose while the file was being opened", async () => {
    // At 30 frames per second, the file's milliseconds are not the frames' exact times.
    const { page } = await openPage(served.url, { viewport: { width: 640, height: 320 } });
    await page.waitForFunction(() => window.viewer !== undefined);
    await page.evaluate(() => window.viewer.openClip("quick.webm", "quick.json", 4));
    await seesColour(page, moving(4), over(rgb(0), greyOf(8), 0.5));
    await page.evaluate(() => [1, 2, 3].forEach(window.viewer.step));
    await seesColour(page, moving(7), over(rgb(0), greyOf(14), 0.5));
  });

  it("shows each frame with its masks if the browser doesn't report which frame it shows", async () => {
    const { page } = await openPage(served.url, { viewport: { width: 640, height: 320 } });
    await page.waitForFunction(() => window.viewer !== undefined);
    await page.evaluate(() => {
      Reflect.deleteProperty(HTMLVideoElement.prototype, "requestVideoFrameCallback");
    });
    await page.evaluate(() => window.viewer.openClip("quick.webm", "quick.json"));
    await seesColour(page, moving(0), over(rgb(0), greyOf(0), 0.5));
    for (const sample of [1, 2]) {
      await page.evaluate(() => window.viewer.step());
      await seesColour(page, moving(sample), over(rgb(0), greyOf(2 * sample), 0.5));
    }
  });
});
