import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPage } from "../../../test/support/browser/studio.ts";
import { over, seesColour } from "./pixels.ts";
import {
  BESIDE,
  FRAME,
  GREY,
  ON_CUP,
  ON_PLATE,
  ON_SPOON,
  PICTURE,
  rgb,
  servePicture,
} from "./served-picture.ts";

describe("the viewer of pictures", () => {
  let served: Awaited<ReturnType<typeof servePicture>>;
  beforeAll(async () => {
    served = await servePicture();
  });
  afterAll(() => served.close());

  it("shows each mask in its color over the picture, the smaller one above", async () => {
    const page = await served.openViewer();
    await seesColour(page, ON_CUP, over(rgb(0), GREY, 0.5));
    await seesColour(page, ON_SPOON, over(rgb(1), GREY, 0.5));
    await seesColour(page, BESIDE, GREY);
  });

  it("shows at once which masks are hidden, and how strong the others are", async () => {
    const page = await served.openViewer();
    await page.evaluate(() => window.viewer.show(0));
    await seesColour(page, ON_SPOON, over(rgb(0), GREY, 0.5));
    await seesColour(page, ON_PLATE, GREY);
    await page.evaluate(() => (window.viewer.opacity.value = 0.8));
    await seesColour(page, ON_CUP, over(rgb(0), GREY, 0.8));
    await page.evaluate(() => window.viewer.show(0, 1, 2));
    await seesColour(page, ON_SPOON, over(rgb(1), GREY, 0.8));
  });

  it("highlights the mask under the pointer, and follows highlights from elsewhere", async () => {
    const page = await served.openViewer();
    await page.mouse.move(ON_CUP.x, ON_CUP.y);
    await seesColour(page, ON_CUP, over(rgb(0), GREY, 0.55));
    await seesColour(page, ON_PLATE, over(rgb(2), GREY, 0.2));
    expect(await page.evaluate(() => window.viewer.highlighted.value)).toBe(served.masks[0]?.url);
    await page.mouse.move(BESIDE.x, BESIDE.y);
    await seesColour(page, ON_PLATE, over(rgb(2), GREY, 0.5));
    await page.evaluate((id) => (window.viewer.highlighted.value = id), served.masks[2]?.url ?? "");
    await seesColour(page, ON_PLATE, over(rgb(2), GREY, 0.55));
  });

  it("keeps the pixel under the pointer there when the wheel zooms, and moves it by dragging", async () => {
    const page = await served.openViewer();
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

  it("looks the same after a drag as if drawn there", async () => {
    const page = await served.openViewer();
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
    await page.evaluate((id) => (window.viewer.highlighted.value = id), served.masks[0]?.url ?? "");
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

  it("draws only changed masks, with the same result as a full drawing", async () => {
    const page = await served.openViewer();
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

  it("reports that a mask can't be read, and shows the others", async () => {
    const page = await served.openViewer();
    const broken = { url: served.put("broken.png", "no PNG"), prompt: 3, label: "fork 1" };
    await page.evaluate((scene) => window.viewer.open(scene), {
      picture: PICTURE,
      masks: [...served.masks, broken],
    });
    await page.getByText("A mask can’t be read and is not shown.").waitFor();
    await seesColour(page, ON_CUP, over(rgb(0), GREY, 0.5));
  });

  it("comes back after the graphics card was lost, with picture and masks", async () => {
    const page = await served.openViewer();
    await page.evaluate(async () => {
      const loss = document.querySelector("canvas")?.getContext("webgl2")?.getExtension("WEBGL_lose_context");
      loss?.loseContext();
      await new Promise((resolve) => setTimeout(resolve));
      loss?.restoreContext();
    });
    await seesColour(page, ON_CUP, over(rgb(0), GREY, 0.5));
    await seesColour(page, BESIDE, GREY);
  });

  it("fits the picture into the free part of its frame", async () => {
    const { page } = await openPage(served.url, { viewport: FRAME });
    await page.waitForFunction(() => window.viewer !== undefined);
    const takes = (height: number) =>
      page.evaluate((rest) => {
        document.getElementById("root")?.style.setProperty("height", `${rest}px`);
      }, FRAME.height - height);
    /** A place in the picture, which fits into a lower frame of the same width. */
    const fitted = (height: number, { x, y }: { x: number; y: number }) => {
      const share = (FRAME.height - height) / FRAME.height;
      return { x: Math.round(FRAME.width / 2 + (x - FRAME.width / 2) * share), y: Math.round(y * share) };
    };
    // Before the picture is there, while its masks are decoded, and after both.
    await takes(100);
    const opened = page.evaluate((scene) => window.viewer.open(scene), {
      picture: PICTURE,
      masks: served.masks,
    });
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
    await page.evaluate((scene) => window.viewer.open(scene), { picture: PICTURE, masks: served.masks });
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
