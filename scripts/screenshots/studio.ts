import type { Browser, Page } from "playwright-core";

const SIZE = { width: 1280, height: 800 };
/** The sample picture's, in pixels. */
const PICTURE = { width: 600, height: 400 };
/** A point of the saucer, in pixels of the picture. */
const SAUCER = { x: 430, y: 330 };
const PATIENTLY = { timeout: 120_000 };

/** Opens the studio in a browser, signed in by an API key, with the sample picture. */
export async function openSample(
  browser: Browser,
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(`${baseUrl}/studio`);
  await page.getByText("Use an API key").click();
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

/** Clicks the saucer. Returns the picture's part of the page before the click, with the pointer on the saucer, and with its mask. */
export async function takeClick(page: Page): Promise<Buffer[]> {
  const frame = await page.locator(".viewer-canvas").boundingBox();
  if (frame === null) throw new Error("The studio shows no picture.");
  const scale = Math.min(frame.width / PICTURE.width, frame.height / PICTURE.height);
  const clip = {
    x: frame.x + (frame.width - PICTURE.width * scale) / 2,
    y: frame.y + (frame.height - PICTURE.height * scale) / 2,
    width: PICTURE.width * scale,
    height: PICTURE.height * scale,
  };
  const take = async (): Promise<Buffer> => {
    await settled(page);
    return await page.screenshot({ clip });
  };
  const [x, y] = [clip.x + SAUCER.x * scale, clip.y + SAUCER.y * scale];
  const before = await take();
  await page.mouse.click(x, y);
  const clicked = await take();
  await page.getByRole("button", { name: /^Object 1 / }).waitFor(PATIENTLY);
  return [before, clicked, await take()];
}

/** The viewer draws once its masks are decoded. */
const settled = async (page: Page): Promise<void> => await page.waitForTimeout(1_000);
