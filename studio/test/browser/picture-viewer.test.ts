import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { draw, maskFile } from "../../../client/test/support/shapes.ts";
import { closeBrowser, openPage } from "../../../test/support/browser/studio.ts";
import { maskColour } from "../../src/viewer/colours.ts";
import { type ServedPage, servePage } from "../support/serve-page.ts";
import { over, seesColour } from "./pixels.ts";

/** A grey picture in a frame of 800 × 400, fitted: two CSS pixels for each of its pixels, from x = 0, y = 0. */
const PICTURE = { width: 400, height: 200 };
const FRAME = { width: 800, height: 400 };
const GREY = [128, 128, 128];

/** A square on the left, and a small one on it; another one on the right. */
const MASKS = [
  { prompt: 0, label: "cup 1", box: [40, 40, 100, 100] },
  { prompt: 1, label: "spoon 1", box: [80, 80, 20, 20] },
  { prompt: 2, label: "plate 1", box: [300, 60, 80, 80] },
] as const;

const rgb = (prompt: number): readonly number[] => maskColour(prompt).rgb;

/** Positions of the masks on the page. */
const ON_CUP = { x: 120, y: 120 };
const ON_SPOON = { x: 180, y: 180 };
const ON_PLATE = { x: 680, y: 200 };
const BESIDE = { x: 440, y: 300 };

describe("the viewer of pictures", () => {
  let served: ServedPage;
  let masks: { url: string; prompt: number; label: string }[];
  beforeAll(async () => {
    served = await servePage();
    masks = MASKS.map(({ box: [left, top, width, height], prompt, label }, i) => {
      const isIn = (x: number, y: number): boolean =>
        x > left && x < left + width && y > top && y < top + height;
      const file = maskFile(draw(PICTURE.width, PICTURE.height, isIn), label);
      return { url: served.put(`${i}.png`, file), prompt, label };
    });
  });
  afterAll(async () => {
    await closeBrowser();
    await served.close();
  });

  async function openViewer(options: object = {}): Promise<Page> {
    const { page, complaints } = await openPage(served.url, { viewport: FRAME, ...options });
    await page.waitForFunction(() => window.viewer !== undefined);
    await page.evaluate((scene) => window.viewer.open(scene), { picture: PICTURE, masks });
    await seesColour(page, ON_PLATE, over(rgb(2), GREY, 0.5));
    expect(complaints).toEqual([]);
    return page;
  }
  const pendingRegions = (page: Page) => page.evaluate(() => window.viewer.pendingRegions.value);

  it("shows each mask in its colour over the picture, the smaller one above", async () => {
    const page = await openViewer();
    await seesColour(page, ON_CUP, over(rgb(0), GREY, 0.5));
    await seesColour(page, ON_SPOON, over(rgb(1), GREY, 0.5));
    await seesColour(page, BESIDE, GREY);
  });

  it("shows at once which masks are hidden, and how strong the others are", async () => {
    const page = await openViewer();
    await page.evaluate(() => window.viewer.show(0));
    await seesColour(page, ON_SPOON, over(rgb(0), GREY, 0.5));
    await seesColour(page, ON_PLATE, GREY);
    await page.evaluate(() => (window.viewer.opacity.value = 0.8));
    await seesColour(page, ON_CUP, over(rgb(0), GREY, 0.8));
    await page.evaluate(() => window.viewer.show(0, 1, 2));
    await seesColour(page, ON_SPOON, over(rgb(1), GREY, 0.8));
  });

  it("makes the mask under the pointer stand out and the others step back, and follows who else names one", async () => {
    const page = await openViewer();
    await page.mouse.move(ON_CUP.x, ON_CUP.y);
    await seesColour(page, ON_CUP, over(rgb(0), GREY, 0.55));
    await seesColour(page, ON_PLATE, over(rgb(2), GREY, 0.2));
    expect(await page.evaluate(() => window.viewer.highlighted.value)).toBe(masks[0]?.url);
    await page.mouse.move(BESIDE.x, BESIDE.y);
    await seesColour(page, ON_PLATE, over(rgb(2), GREY, 0.5));
    await page.evaluate((id) => (window.viewer.highlighted.value = id), masks[2]?.url ?? "");
    await seesColour(page, ON_PLATE, over(rgb(2), GREY, 0.55));
  });

  it("keeps the pixel under the pointer there when the wheel zooms, and moves it by dragging", async () => {
    const page = await openViewer();
    await page.mouse.move(ON_SPOON.x, ON_SPOON.y);
    await page.mouse.wheel(0, -800);
    await page.mouse.move(799, 399);
    await seesColour(page, ON_SPOON, over(rgb(1), GREY, 0.5));
    await page.mouse.move(300, 300);
    await page.mouse.down();
    await page.mouse.move(420, 260, { steps: 3 });
    await page.mouse.up();
    await page.mouse.move(799, 399);
    await seesColour(page, { x: ON_SPOON.x + 120, y: ON_SPOON.y - 40 }, over(rgb(1), GREY, 0.5));
  });

  it("looks the same after it was dragged as if it had been drawn there", async () => {
    const page = await openViewer();
    await page.mouse.move(400, 200);
    await page.mouse.wheel(0, -300);
    await page.mouse.down();
    await page.mouse.move(470, 235, { steps: 4 });
    await page.mouse.move(350, 180, { steps: 5 });
    await page.mouse.up();
    await page.mouse.move(799, 399);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    const dragged = await page.screenshot();
    // Another opacity and back draws all of it again.
    await page.evaluate(() => (window.viewer.opacity.value = 0.4));
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await page.evaluate(() => (window.viewer.opacity.value = 0.5));
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect((await page.screenshot()).equals(dragged)).toBe(true);

    // The same with a highlighted mask, by keys: the pointer would point at another one.
    await page.evaluate((id) => (window.viewer.highlighted.value = id), masks[0]?.url ?? "");
    await page.getByRole("application").focus();
    for (const key of ["ArrowRight", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
    await page.evaluate(() => new Promise(requestAnimationFrame));
    const moved = await page.screenshot();
    expect(moved.equals(dragged)).toBe(false);
    await page.evaluate(() => (window.viewer.opacity.value = 0.4));
    await page.evaluate(() => new Promise(requestAnimationFrame));
    await page.evaluate(() => (window.viewer.opacity.value = 0.5));
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect((await page.screenshot()).equals(moved)).toBe(true);
  });

  it("draws no more than what has changed of the masks, and that as if it had drawn everything", async () => {
    const page = await openViewer();
    await page.evaluate(`(() => {
      globalThis.areas = [];
      const { drawArrays } = WebGL2RenderingContext.prototype;
      WebGL2RenderingContext.prototype.drawArrays = function (...drawing) {
        const [, , width, height] = this.getParameter(this.SCISSOR_BOX);
        areas.push(width * height);
        drawArrays.apply(this, drawing);
      };
    })()`);
    const drawnSince = async (): Promise<number> =>
      await page.evaluate(`(async () => {
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
        return areas.splice(0).reduce((sum, area) => sum + area, 0);
      })()`);
    // A caller that changes something else has a new list of the same masks.
    await page.evaluate(() => (window.viewer.layers.value = [...window.viewer.layers.value]));
    expect(await drawnSince()).toBe(0);
    await page.evaluate(() => window.viewer.show(0, 1));
    await seesColour(page, ON_PLATE, GREY);
    await page.evaluate(() => window.viewer.show(0, 1, 2));
    await seesColour(page, ON_PLATE, over(rgb(2), GREY, 0.5));
    // The plate with its outline, twice: two pixels of the screen for each of its 80 × 80.
    expect(await drawnSince()).toBeLessThan(2 * 184 * 184);
    const before = await page.screenshot();
    for (const opacity of [0.4, 0.5]) {
      await page.evaluate((value) => (window.viewer.opacity.value = value), opacity);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    expect(await drawnSince()).toBeGreaterThanOrEqual(FRAME.width * FRAME.height);
    expect((await page.screenshot()).equals(before)).toBe(true);
  });

  it("reports a click in pixels of the picture, also after zooming and panning", async () => {
    const page = await openViewer();
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

  it("reports a click in pixels of the picture as it is laid out, also before it was drawn there", async () => {
    const page = await openViewer();
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

  it("adds to the latest draft what is clicked with Shift or Alt: on the object, or outside it", async () => {
    const page = await openViewer();
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
    const page = await openViewer();
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

  it("is pointed at by keys: a crosshair that names what it is on, points, and boxes", async () => {
    const page = await openViewer();
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
    const page = await openViewer();
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
    expect(strokes.map(({ mask }) => mask)).toEqual([masks[0]?.url, null, null]);
    expect(strokes[0]?.points.slice(0, 2)).toEqual([60, 60]);
    expect(strokes[0]?.points.slice(-2)).toEqual([80, 60]);
    expect(strokes[1]?.points).toEqual([220, 150]);
    expect(strokes[2]?.points).toEqual([200.5, 100.5, 203.5, 100.5, 206.5, 100.5]);
    expect(await pendingRegions(page)).toEqual([]);
  });

  it("zooms by two fingers about the middle between them", async () => {
    const page = await openViewer({ hasTouch: true });
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
    const page = await openViewer({ hasTouch: true });
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

  it("takes a click whose mouse wobbles for a click, and a box with a short side for nothing", async () => {
    const page = await openViewer();
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

  it("reports that a mask can't be read, and shows the others", async () => {
    const page = await openViewer();
    const broken = { url: served.put("broken.png", "no PNG"), prompt: 3, label: "fork 1" };
    await page.evaluate((scene) => window.viewer.open(scene), {
      picture: PICTURE,
      masks: [...masks, broken],
    });
    await page.getByText("A mask can’t be read and is not shown.").waitFor();
    await seesColour(page, ON_CUP, over(rgb(0), GREY, 0.5));
  });

  it("comes back after the graphics card was lost, with picture and masks", async () => {
    const page = await openViewer();
    await page.evaluate(async () => {
      const loss = document.querySelector("canvas")?.getContext("webgl2")?.getExtension("WEBGL_lose_context");
      loss?.loseContext();
      await new Promise((resolve) => setTimeout(resolve));
      loss?.restoreContext();
    });
    await seesColour(page, ON_CUP, over(rgb(0), GREY, 0.5));
    await seesColour(page, BESIDE, GREY);
  });

  it("fits the picture into what is left of its frame, whenever something takes a part of it", async () => {
    const { page } = await openPage(served.url, { viewport: FRAME });
    await page.waitForFunction(() => window.viewer !== undefined);
    const takes = (height: number) =>
      page.evaluate((rest) => {
        document.getElementById("root")?.style.setProperty("height", `${rest}px`);
      }, FRAME.height - height);
    /** A place of the picture that is fitted into a lower frame of the same width. */
    const fitted = (height: number, { x, y }: { x: number; y: number }) => {
      const share = (FRAME.height - height) / FRAME.height;
      return { x: Math.round(FRAME.width / 2 + (x - FRAME.width / 2) * share), y: Math.round(y * share) };
    };
    // Before the picture is there, while its masks are decoded, and after both.
    await takes(100);
    const opened = page.evaluate((scene) => window.viewer.open(scene), { picture: PICTURE, masks });
    await takes(52);
    await opened;
    await seesColour(page, fitted(52, ON_PLATE), over(rgb(2), GREY, 0.5));
    await seesColour(page, fitted(52, ON_SPOON), over(rgb(1), GREY, 0.5));
    for (const height of [0, 52, 104]) {
      await takes(height);
      await seesColour(page, fitted(height, ON_SPOON), over(rgb(1), GREY, 0.5));
      await seesColour(page, fitted(height, BESIDE), GREY);
      // The lowest row of pixels is the picture's.
      await seesColour(page, { x: 400, y: FRAME.height - height - 2 }, GREY);
    }
  });

  it("shows the same without WebGL2", async () => {
    const { page } = await openPage(served.url, { viewport: FRAME });
    await page.waitForFunction(() => window.viewer !== undefined);
    await page.evaluate(() => {
      const { prototype } = HTMLCanvasElement;
      const native = Object.getOwnPropertyDescriptor(prototype, "getContext");
      const getContext = new Proxy(native?.value, {
        apply: (target, canvas, args) => (args[0] === "webgl2" ? null : Reflect.apply(target, canvas, args)),
      });
      Object.defineProperty(prototype, "getContext", { ...native, value: getContext });
    });
    await page.evaluate((scene) => window.viewer.open(scene), { picture: PICTURE, masks });
    await seesColour(page, ON_CUP, over(rgb(0), GREY, 0.5));
    await seesColour(page, ON_SPOON, over(rgb(1), GREY, 0.5));
    await page.evaluate(() => window.viewer.show(0));
    await seesColour(page, ON_PLATE, GREY);
    await seesColour(page, ON_SPOON, over(rgb(0), GREY, 0.5));
    // The outermost pixel of the cup is its outline, three times as strong as the fill that it blends into.
    await page.evaluate(() => (window.viewer.opacity.value = 0.3));
    await seesColour(page, { x: 81, y: 180 }, over(rgb(0), GREY, 0.9 * 0.75 + 0.3 * 0.25 * (1 - 0.9 * 0.75)));
    await seesColour(page, { x: 87, y: 180 }, over(rgb(0), GREY, 0.3));
  });
});
