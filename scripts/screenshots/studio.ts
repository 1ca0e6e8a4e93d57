import type { Page } from "playwright-core";
import { placeOfSample } from "../shared/studio-sample.ts";

/** A point of the saucer, in pixels of the picture. */
const SAUCER = { x: 430, y: 330 };
const PATIENTLY = { timeout: 120_000 };

/** Segments the sample by its prompts. Returns the picture of the page. */
export async function takeResult(page: Page): Promise<Buffer> {
  await page.getByRole("button", { name: "Segment", exact: true }).click();
  await page.getByRole("button", { name: /^spoon 1 / }).waitFor(PATIENTLY);
  await page.mouse.move(0, 0);
  await settled(page);
  return await page.screenshot();
}

/** What the moving picture is made of: the page's part with the picture before a click, and after it. */
export interface Click {
  readonly before: Buffer;
  readonly after: Buffer;
  /** Where it was, in pixels of both. */
  readonly at: { readonly x: number; readonly y: number };
}

/** Clicks the saucer. */
export async function takeClick(page: Page): Promise<Click> {
  const { scale, ...clip } = await placeOfSample(page);
  const at = { x: SAUCER.x * scale, y: SAUCER.y * scale };
  await settled(page);
  const before = await page.screenshot({ clip });
  await page.mouse.click(clip.x + at.x, clip.y + at.y);
  await page.getByRole("button", { name: /^Object 1 / }).waitFor(PATIENTLY);
  await page.mouse.move(0, 0);
  await settled(page);
  return { before, after: await page.screenshot({ clip }), at };
}

/** The viewer draws once its masks are decoded. */
const settled = async (page: Page): Promise<void> => await page.waitForTimeout(1_000);
