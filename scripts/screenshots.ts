import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { needChromium } from "./shared/chromium.ts";
import { runCommand } from "./shared/command-line.ts";
import { PROJECT_ROOT } from "./shared/root.ts";
import { openSample, placeOfSample } from "./shared/studio-sample.ts";
import { startStack } from "./stack/start-stack.ts";

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

/** How long each picture of the moving one is shown, in milliseconds: the picture, the click, the mask. */
const SHOWN_MS = [1_200, 700, 2_400];
const MOVING_WIDTH = 600;

const image = (name: string): string => join(PROJECT_ROOT, "docs", "images", name);

/** Takes the README's pictures of the studio, from the real one with the real model. */
await runCommand(async (signal) => {
  const browser = await needChromium();
  const folder = await mkdtemp(join(tmpdir(), "screenshots-"));
  try {
    const stack = await startStack({ port: 0, stateDir: folder, onProgress: console.log, signal });
    try {
      const result = await takeResult(await openSample(browser, stack));
      await writeFile(
        image("studio.png"),
        await sharp(result).png({ palette: true, quality: 90 }).toBuffer(),
      );
      const { before, after, at } = await takeClick(await openSample(browser, stack));
      const ring = `<svg width="60" height="60"><circle cx="30" cy="30" r="22" fill="#fff6" stroke="#fff" stroke-width="4"/></svg>`;
      const pointed = await sharp(before)
        .composite([{ input: Buffer.from(ring), left: Math.round(at.x) - 30, top: Math.round(at.y) - 30 }])
        .png()
        .toBuffer();
      const small = await Promise.all(
        [before, pointed, after].map((moment) =>
          sharp(moment).resize({ width: MOVING_WIDTH }).png().toBuffer(),
        ),
      );
      await sharp(small, { join: { animated: true } })
        .webp({ quality: 82, delay: SHOWN_MS, loop: 0 })
        .toFile(image("studio-click.webp"));
      console.log("docs/images has studio.png and studio-click.webp.");
    } finally {
      await stack.stop();
    }
  } finally {
    await browser.close();
    await rm(folder, { recursive: true });
  }
  return 0;
});
