import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, handleRequests, openPage } from "../../../test/support/browser/studio.ts";
import { type ServedPage, servePage } from "../support/serve-page.ts";

/** A service allows so many pictures per job. */
const PICTURES = 100;

/** The places of the pictures that are in the window. */
const inWindow = async (page: Page): Promise<number[]> => {
  const are = await page.locator("li").evaluateAll((all) =>
    all.map((cell) => {
      const { top, bottom } = cell.getBoundingClientRect();
      return bottom > 0 && top < innerHeight;
    }),
  );
  return are.flatMap((isIn, i) => (isIn ? [i] : []));
};

describe("the gallery of a large batch", () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
  });
  afterAll(async () => {
    await closeBrowser();
    await served.close();
  });

  it("opens and draws only the pictures near the window, and those in it before the others", async () => {
    const { page, complaints } = await openPage(served.url);
    await page.waitForFunction(() => window.viewer !== undefined);
    await page.evaluate(async (count) => await window.viewer.openGallery(count), PICTURES);
    const untilDrawn = async (places: readonly number[]): Promise<void> => {
      await page.waitForFunction((all) => all.every((i) => window.viewer.drawn.includes(i)), places);
    };
    const seen = await inWindow(page);
    await untilDrawn(seen);
    const drawn = await page.evaluate(() => window.viewer.drawn.slice());
    // One whose file comes while nothing else waits may be drawn earlier than one in the window.
    const before = drawn.slice(
      0,
      drawn.findLastIndex((i) => seen.includes(i)),
    );
    expect(before.filter((i) => !seen.includes(i)).length).toBeLessThan(seen.length / 3);
    const near = await page.evaluate(() => window.viewer.asked.slice());
    expect(near.length).toBeGreaterThan(seen.length);
    expect(near.length).toBeLessThan(PICTURES / 2);

    await page.getByRole("button", { name: "99.jpg" }).scrollIntoViewIfNeeded();
    await untilDrawn([PICTURES - 1]);
    expect(await page.evaluate(() => window.viewer.asked)).not.toContain(PICTURES / 2);
    // What is far away keeps no pixels, and is drawn again when it is near.
    await page.waitForFunction(() => document.querySelector("canvas")?.width === 0);
    const before99 = await page.evaluate(() => window.viewer.drawn.length);
    await page.getByRole("button", { name: /^0\.jpg/ }).scrollIntoViewIfNeeded();
    await page.waitForFunction((count) => window.viewer.drawn.slice(count).includes(0), before99);
    expect(complaints).toEqual([]);
  });

  it("refuses what is to be drawn when its worker is closed, and when that does not load", async () => {
    const { page } = await openPage(served.url);
    await page.waitForFunction(() => window.viewer !== undefined);
    const refused = Array.from({ length: 3 }, () => expect.stringContaining("can’t draw this right now"));
    expect(await page.evaluate(async () => await window.viewer.drawWithout("its page"))).toEqual(refused);
    await handleRequests(page, /render\.worker/, (route) => route.abort());
    expect(await page.evaluate(async () => await window.viewer.drawWithout("its script"))).toEqual(refused);
  });
});
