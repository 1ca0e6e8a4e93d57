import type { Page } from "playwright-core";
import sharp from "sharp";

/** The color of a CSS pixel of the page, as people see it: red, green and blue, 0 to 255. */
async function colourAt(page: Page, x: number, y: number): Promise<number[]> {
  const shot = await page.screenshot({ clip: { x, y, width: 1, height: 1 }, scale: "css" });
  return [...(await sharp(shot).removeAlpha().raw().toBuffer())];
}

/** Waits until a CSS pixel of the page has a color, give or take a little. */
export async function seesColour(
  page: Page,
  { x, y }: { readonly x: number; readonly y: number },
  wanted: readonly number[],
): Promise<void> {
  let seen: number[] = [];
  // A frame is drawn after the event that asks for it.
  for (let i = 0; i < 200; i++) {
    seen = await colourAt(page, x, y);
    if (seen.every((each, channel) => Math.abs(each - (wanted[channel] ?? 0)) <= 3)) return;
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
  throw new Error(`At ${x}, ${y} the page has ${seen.join(" ")}, not ${wanted.join(" ")}.`);
}

/** A color laid over another, as sRGB bytes; opacity 0 to 1. */
export const over = (above: readonly number[], below: readonly number[], opacity: number): number[] =>
  above.map((each, i) => Math.round(each * opacity + (below[i] ?? 0) * (1 - opacity)));
