import type { Browser, Page } from "playwright-core";

const SIZE = { width: 1280, height: 800 };
/** The sample picture's, in pixels. */
const PICTURE = { width: 600, height: 400 };
/** A point of the saucer, in pixels of the picture. */
const SAUCER = { x: 430, y: 330 };
const PATIENTLY = { timeout: 120_000 };

/** Opens the studio of a stack without an identity provider, signed in by an API key, with the sample picture. */
export async function openSample(
  browser: Browser,
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(`${baseUrl}/studio`);
  await page.getByLabel("API key").fill(apiKey);
  await page.getByRole("button", { name: "Open the studio" }).click();
  await page.getByText("Try it with this one").click();
  await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
  return page;
}

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
  const frame = await page.locator(".viewer-canvas").boundingBox();
  if (frame === null) throw new Error("The studio shows no picture.");
  const scale = Math.min(frame.width / PICTURE.width, frame.height / PICTURE.height);
  const clip = {
    x: frame.x + (frame.width - PICTURE.width * scale) / 2,
    y: frame.y + (frame.height - PICTURE.height * scale) / 2,
    width: PICTURE.width * scale,
    height: PICTURE.height * scale,
  };
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
