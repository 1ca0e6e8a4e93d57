import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { closeBrowser, handleRequests, openPage } from "../../../test/support/browser/studio.ts";
import { type ServedPage, servePage } from "../support/serve-page.ts";
import { seesColour } from "./pixels.ts";

/** A service that allows this many pictures per job. */
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

  it("selects pictures by Ctrl, Shift and a rectangle, and judges them together", async () => {
    const { page, complaints } = await openPage(served.url);
    await page.waitForFunction(() => window.viewer !== undefined);
    await page.evaluate(async () => await window.viewer.openGallery(6));
    const cell = (i: number) => page.getByRole("button", { name: `${i}.jpg` });
    await cell(0).click({ modifiers: ["ControlOrMeta"] });
    await cell(2).click({ modifiers: ["Shift"] });
    await page.getByText("3 pictures selected").waitFor();
    await cell(1).focus();
    await page.keyboard.press("Control+Space");
    await page.getByText("2 pictures selected").waitFor();
    await page.getByRole("button", { name: "Reject selected" }).click();
    await page.getByText("Rejected 2").waitFor();

    // From the gap before a picture into it.
    const second = await page.getByRole("listitem").nth(1).boundingBox();
    if (second === null) throw new Error("There is no picture.");
    await page.mouse.move(second.x - 6, second.y + 10);
    await page.mouse.down();
    await page.mouse.move(second.x + second.width / 2, second.y + 30, { steps: 3 });
    await page.mouse.up();
    await page.getByText("1 picture selected").waitFor();
    await page.getByRole("button", { name: "Accept selected" }).click();
    await page.getByText("Accepted 1").waitFor();

    // The focused picture alone is judged by keys.
    await cell(4).focus();
    await page.keyboard.press("Delete");
    await page.getByText("Rejected 3").waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows the whole frame of a selected picture, and leaves the focus on a picture when none is selected", async () => {
    const { page } = await openPage(served.url, { colorScheme: "light" });
    await page.waitForFunction(() => window.viewer !== undefined);
    await page.evaluate(async () => await window.viewer.openGallery(6));
    await page.getByRole("button", { name: "1.jpg" }).focus();
    await page.keyboard.press("Control+Space");
    await page.keyboard.press("ArrowRight");
    const frame = await page.locator("li").nth(1).locator(".gallery-picture").boundingBox();
    if (frame === null) throw new Error("There is no picture.");
    const accent = [0x0b, 0x6b, 0x5b];
    await seesColour(page, { x: frame.x + 1, y: frame.y + frame.height / 2 }, accent);
    await seesColour(page, { x: frame.x + frame.width / 2, y: frame.y + 1 }, accent);
    await page.getByRole("button", { name: "Deselect" }).press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("2.jpg");
    await page.keyboard.press("Control+Space");
    await page.getByText("1 picture selected").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("1 picture selected").waitFor({ state: "detached" });
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
    // Distant pictures keep no pixels, and are drawn again when near.
    await page.waitForFunction(() => document.querySelector("canvas")?.width === 0);
    const before99 = await page.evaluate(() => window.viewer.drawn.length);
    await page.getByRole("button", { name: /^0\.jpg/ }).scrollIntoViewIfNeeded();
    await page.waitForFunction((count) => window.viewer.drawn.slice(count).includes(0), before99);
    expect(complaints).toEqual([]);
  });

  it("rejects pending drawings when its worker is closed or does not load", async () => {
    const { page } = await openPage(served.url);
    await page.waitForFunction(() => window.viewer !== undefined);
    const refused = Array.from({ length: 3 }, () => expect.stringContaining("can’t draw this right now"));
    expect(await page.evaluate(async () => await window.viewer.drawWithout("its page"))).toEqual(refused);
    await handleRequests(page, /render\.worker/, (route) => route.abort());
    expect(await page.evaluate(async () => await window.viewer.drawWithout("its script"))).toEqual(refused);
  });
});
