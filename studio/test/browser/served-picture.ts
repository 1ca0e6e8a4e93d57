import type { Page } from "playwright-core";
import { expect } from "vitest";
import { draw, maskFile } from "../../../client/test/support/shapes.ts";
import { closeBrowser, openPage } from "../../../test/support/browser/studio.ts";
import { maskColour } from "../../src/viewer/colours.ts";
import { servePage } from "../support/serve-page.ts";
import { over, seesColour } from "./pixels.ts";

/** A gray picture in a frame of 800 × 400, fitted: two CSS pixels for each of its pixels, from x = 0, y = 0. */
export const PICTURE = { width: 400, height: 200 };
export const FRAME = { width: 800, height: 400 };
export const GREY = [128, 128, 128];

/** A square on the left, and a small one on it; another one on the right. */
const MASKS = [
  { prompt: 0, label: "cup 1", box: [40, 40, 100, 100] },
  { prompt: 1, label: "spoon 1", box: [80, 80, 20, 20] },
  { prompt: 2, label: "plate 1", box: [300, 60, 80, 80] },
] as const;

export const rgb = (prompt: number): readonly number[] => maskColour(prompt).rgb;

/** Positions of the masks on the page. */
export const ON_CUP = { x: 120, y: 120 };
export const ON_SPOON = { x: 180, y: 180 };
export const ON_PLATE = { x: 680, y: 200 };
export const BESIDE = { x: 440, y: 300 };

/** Serves a page with the viewer, and the masks. */
export async function servePicture() {
  const served = await servePage();
  const masks = MASKS.map(({ box: [left, top, width, height], prompt, label }, i) => {
    const isIn = (x: number, y: number): boolean =>
      x > left && x < left + width && y > top && y < top + height;
    const file = maskFile(draw(PICTURE.width, PICTURE.height, isIn), label);
    return { url: served.put(`${i}.png`, file), prompt, label };
  });
  return {
    ...served,
    masks,
    /** Opens a page that shows the picture and its masks. */
    openViewer: async (options: object = {}): Promise<Page> => {
      const { page, complaints } = await openPage(served.url, { viewport: FRAME, ...options });
      await page.waitForFunction(() => window.viewer !== undefined);
      await page.evaluate((scene) => window.viewer.open(scene), { picture: PICTURE, masks });
      await seesColour(page, ON_PLATE, over(rgb(2), GREY, 0.5));
      expect(complaints).toEqual([]);
      return page;
    },
    close: async (): Promise<void> => {
      await closeBrowser();
      await served.close();
    },
  };
}
