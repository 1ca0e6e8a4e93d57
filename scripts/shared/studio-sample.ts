import type { Browser, Page } from "playwright-core";

const SIZE = { width: 1280, height: 800 };
/** The size of the sample picture, in pixels. */
const PICTURE = { width: 600, height: 400 };

/** Opens the studio of a stack without an identity provider, signed in by an API key. */
export async function openStudio(
  browser: Browser,
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
): Promise<Page> {
  const page = await browser.newPage({ viewport: SIZE, colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(`${baseUrl}/studio`);
  await page.getByLabel("API key").fill(apiKey);
  await page.getByRole("button", { name: "Open the studio" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  return page;
}

/** Opens the studio as `openStudio`, with the sample picture. */
export async function openSample(...studio: Parameters<typeof openStudio>): Promise<Page> {
  const page = await openStudio(...studio);
  await page.getByText("Try this sample").click();
  await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
  return page;
}

/** The place of the sample picture on the page, in the page's pixels, and its scale. */
export interface SamplePlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly scale: number;
}

/** Returns the place of the sample picture. @throws Error if the studio shows no picture */
export async function placeOfSample(page: Page): Promise<SamplePlace> {
  const frame = await page.locator(".viewer-canvas").boundingBox();
  if (frame === null) throw new Error("The studio shows no picture.");
  const scale = Math.min(frame.width / PICTURE.width, frame.height / PICTURE.height);
  const [width, height] = [PICTURE.width * scale, PICTURE.height * scale];
  return {
    x: frame.x + (frame.width - width) / 2,
    y: frame.y + (frame.height - height) / 2,
    width,
    height,
    scale,
  };
}
