import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { over, seesColour } from "./pixels.ts";
import { BESIDE, GREY, ON_CUP, ON_PLATE, ON_SPOON, rgb, servePicture } from "./served-picture.ts";

describe("pointing at pictures", () => {
  let served: Awaited<ReturnType<typeof servePicture>>;
  beforeAll(async () => {
    served = await servePicture();
  });
  afterAll(() => served.close());
  const pendingRegions = (page: Page) => page.evaluate(() => window.viewer.pendingRegions.value);

  it("reports a click in pixels of the picture, even after zooming and panning", async () => {
    const page = await served.openViewer();
    await page.evaluate(() => (window.viewer.tool.value = "point"));
    await page.mouse.click(241, 121);
    expect(await pendingRegions(page)).toEqual([{ points: [{ x: 120, y: 60, label: 1 }] }]);
    await page.mouse.move(0, 0);
    await page.mouse.wheel(0, -Math.log(2) / 0.0018);
    await page.keyboard.down("Space");
    await page.keyboard.up("Space");
    await page.mouse.click(400, 200);
    expect((await pendingRegions(page))[1]).toEqual({ points: [{ x: 100, y: 50, label: 1 }] });
  });

  it("reports a click in the picture's pixels as laid out, even before the picture was drawn there", async () => {
    const page = await served.openViewer();
    await page.evaluate(() => (window.viewer.tool.value = "point"));
    await page.mouse.move(120, 160);
    await page.evaluate(`(() => {
      const canvas = document.querySelector("canvas");
      document.getElementById("root").style.width = "400px";
      for (const type of ["pointerdown", "pointerup"])
        canvas.dispatchEvent(new PointerEvent(type, { pointerId: 1, pointerType: "mouse", clientX: 120, clientY: 160 }));
    })()`);
    expect(await pendingRegions(page)).toEqual([{ points: [{ x: 120, y: 60, label: 1 }] }]);
  });

  it("adds clicks with Shift or Alt to the latest draft: on the object, or outside it", async () => {
    const page = await served.openViewer();
    await page.evaluate(() => (window.viewer.tool.value = "point"));
    await page.mouse.click(100, 100);
    await page.keyboard.down("Shift");
    await page.mouse.click(300, 100);
    await page.keyboard.up("Shift");
    await page.keyboard.down("Alt");
    await page.mouse.click(120, 140);
    await page.keyboard.up("Alt");
    const points = [
      { x: 50, y: 50, label: 1 },
      { x: 150, y: 50, label: 1 },
      { x: 60, y: 70, label: 0 },
    ];
    expect(await pendingRegions(page)).toEqual([{ points }]);
  });

  it("makes a box of a drag, inside the picture, and moves the picture while the space bar is down", async () => {
    const page = await served.openViewer();
    await page.evaluate(() => (window.viewer.tool.value = "point"));
    await page.mouse.move(600, 200);
    await page.mouse.down();
    await page.mouse.move(790, 395, { steps: 3 });
    await page.mouse.up();
    expect(await pendingRegions(page)).toEqual([{ box: [300, 100, 95, 98] }]);
    await page.getByRole("application").focus();
    await page.keyboard.press("+");
    await page.keyboard.down("Space");
    await page.mouse.move(400, 200);
    await page.mouse.down();
    await page.mouse.move(500, 200, { steps: 3 });
    await page.mouse.up();
    await page.keyboard.up("Space");
    expect(await pendingRegions(page)).toHaveLength(1);
  });

  it("is operated by keys: a crosshair that names the object under it, points, and boxes", async () => {
    const page = await served.openViewer();
    await page.evaluate(() => (window.viewer.tool.value = "point"));
    await page.getByRole("application").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Shift+ArrowRight");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    expect(await pendingRegions(page)).toEqual([{ points: [{ x: 224, y: 103, label: 1 }] }]);
    await page.keyboard.press("Shift+ArrowUp");
    await page.keyboard.press("Shift+Enter");
    expect(await pendingRegions(page)).toMatchObject([{ points: { 1: { x: 224, y: 79, label: 1 } } }]);
    for (let i = 0; i < 4; i++) await page.keyboard.press("Shift+ArrowRight");
    await page.getByText("320, 79: plate 1").waitFor({ state: "attached" });
    await page.keyboard.press("b");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowLeft");
    await page.keyboard.press("Enter");
    expect((await pendingRegions(page))[1]).toEqual({ box: [296, 79, 24, 24] });
  });

  it("paints strokes by drags, clicks and keys, in pixels of the picture, with the mask that they begin on", async () => {
    const page = await served.openViewer();
    await page.evaluate(() => (window.viewer.tool.value = "brush"));
    await page.mouse.move(ON_CUP.x, ON_CUP.y);
    await page.mouse.down();
    await page.mouse.move(ON_CUP.x + 40, ON_CUP.y, { steps: 2 });
    await page.locator(".viewer-stroke").waitFor({ state: "attached" });
    await page.mouse.up();
    await page.locator(".viewer-stroke").waitFor({ state: "detached" });
    await page.mouse.click(BESIDE.x, BESIDE.y);
    await page.getByRole("application").focus();
    // The crosshair begins in the middle, and a step is three of the picture's pixels.
    for (const key of ["ArrowRight", "b", "ArrowRight", "ArrowRight", "Enter"])
      await page.keyboard.press(key);
    const strokes = await page.evaluate(() => window.viewer.strokes);
    expect(strokes.map(({ mask }) => mask)).toEqual([served.masks[0]?.url, null, null]);
    expect(strokes[0]?.points.slice(0, 2)).toEqual([60, 60]);
    expect(strokes[0]?.points.slice(-2)).toEqual([80, 60]);
    expect(strokes[1]?.points).toEqual([220, 150]);
    expect(strokes[2]?.points).toEqual([200.5, 100.5, 203.5, 100.5, 206.5, 100.5]);
    expect(await pendingRegions(page)).toEqual([]);
  });

  it("selects with Ctrl what is mostly in a rectangle, or is clicked, and names it on the picture", async () => {
    const page = await served.openViewer();
    const selected = async () =>
      (await page.evaluate(() => window.viewer.selection.value)).map((url) =>
        served.masks.findIndex((mask) => mask.url === url),
      );
    for (const tool of ["point", "pan"] as const) {
      await page.evaluate((chosen) => {
        window.viewer.tool.value = chosen;
        window.viewer.selection.value = [];
      }, tool);
      await page.keyboard.down("Control");
      await page.mouse.move(640, 60);
      await page.mouse.down();
      // All of the spoon, two thirds of the cup, and a quarter of the plate.
      await page.mouse.move(150, 330, { steps: 3 });
      await page.mouse.up();
      expect(await selected()).toEqual([0, 1]);
      await page.mouse.click(ON_PLATE.x, ON_PLATE.y);
      expect(await selected()).toEqual([2]);
      await page.mouse.click(BESIDE.x, BESIDE.y);
      expect(await selected()).toEqual([2]);
      await page.keyboard.up("Control");
      await expect.poll(() => page.locator(".viewer-names").textContent()).toBe("plate 1");
    }
    expect(await pendingRegions(page)).toEqual([]);
  });

  it("selects the mask that is clicked, any number of times, and points beside it", async () => {
    const page = await served.openViewer();
    await page.evaluate(() => {
      window.viewer.tool.value = "point";
      window.viewer.isSelecting.value = true;
    });
    for (const _ of [1, 2]) await page.mouse.click(ON_PLATE.x, ON_PLATE.y);
    expect(await page.evaluate(() => window.viewer.selection.value)).toEqual([served.masks[2]?.url]);
    expect(await pendingRegions(page)).toEqual([]);
    await page.mouse.click(BESIDE.x, BESIDE.y);
    expect(await pendingRegions(page)).toHaveLength(1);
  });

  it("zooms by two fingers about the middle between them", async () => {
    const page = await served.openViewer({ hasTouch: true });
    const touches = await page.context().newCDPSession(page);
    const send = (type: "touchStart" | "touchMove" | "touchEnd", ...xs: number[]) =>
      touches.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: xs.map((x, id) => ({ x, y: ON_SPOON.y, id })),
      });
    await send("touchStart", 160, 200);
    await send("touchMove", 140, 220);
    await send("touchMove", 100, 260);
    await send("touchEnd");
    await seesColour(page, ON_SPOON, over(rgb(1), GREY, 0.5));
    // Four times as large: the small square of 40 CSS pixels has 160.
    await seesColour(page, { x: ON_SPOON.x + 70, y: ON_SPOON.y + 70 }, over(rgb(1), GREY, 0.5));
    await seesColour(page, { x: ON_SPOON.x + 90, y: ON_SPOON.y + 90 }, over(rgb(0), GREY, 0.5));
  });

  it("scrolls by one finger and begins nothing; held still first, the finger draws a box", async () => {
    const page = await served.openViewer({ hasTouch: true });
    await page.evaluate(() => (window.viewer.tool.value = "point"));
    await page.evaluate("document.body.style.height = '2000px'");
    const touches = await page.context().newCDPSession(page);
    const send = (type: "touchStart" | "touchMove" | "touchEnd", ...points: (readonly [number, number])[]) =>
      touches.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
    const drag = async ([x, y]: readonly [number, number], by: readonly [number, number]): Promise<void> => {
      for (const step of [0.2, 0.6, 1]) await send("touchMove", [x + by[0] * step, y + by[1] * step]);
      await send("touchEnd");
    };
    await send("touchStart", [400, 300]);
    await drag([400, 300], [12, -200]);
    await expect.poll(() => page.evaluate<number>("scrollY")).toBeGreaterThan(100);
    expect(await pendingRegions(page)).toEqual([]);

    // The page goes on scrolling for a while.
    const scrolledBack = "scrollTo(0, 0); new Promise((resolve) => setTimeout(() => resolve(scrollY), 100))";
    await expect.poll(() => page.evaluate(scrolledBack)).toBe(0);
    await send("touchStart", [600, 200]);
    await page.locator(".viewer-box").first().waitFor();
    await drag([600, 200], [100, 80]);
    expect(await pendingRegions(page)).toEqual([{ box: [300, 100, 50, 40] }]);
    expect(await page.evaluate("scrollY")).toBe(0);

    // The zoomed picture is moved by the finger, and no box is begun.
    await page.getByRole("application").focus();
    await page.keyboard.press("+");
    await send("touchStart", [400, 300]);
    await drag([400, 300], [0, -100]);
    expect(await page.evaluate("scrollY")).toBe(0);
    expect(await pendingRegions(page)).toHaveLength(1);
  });

  it("accepts a click with a wobbling mouse, and ignores a box with a short side", async () => {
    const page = await served.openViewer();
    await page.evaluate(() => (window.viewer.tool.value = "point"));
    for (const [by, count] of [
      [[5, 1], 1],
      [[90, 4], 1],
      [[90, 14], 2],
    ] as const) {
      await page.mouse.move(600, 200);
      await page.mouse.down();
      await page.mouse.move(600 + by[0], 200 + by[1], { steps: 3 });
      await page.mouse.up();
      expect(await pendingRegions(page)).toHaveLength(count);
    }
    expect((await pendingRegions(page))[0]).toHaveProperty("points");
  });
});
