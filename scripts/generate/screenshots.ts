import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { needChromium } from "../shared/chromium.ts";
import { runCommand } from "../shared/command-line.ts";
import { PROJECT_ROOT } from "../shared/root.ts";
import { openSample, openStudio, placeOfSample } from "../shared/studio-sample.ts";
import { startStack } from "../local/stack/start-stack.ts";

/** A point of the saucer, in pixels of the picture. */
const SAUCER = { x: 430, y: 330 };
/** On a busy machine the video takes long: only a hang exceeds this. */
const PATIENTLY = { timeout: 3_600_000 };

/** Segments the sample by its prompts. Returns a screenshot of the page. */
async function takeResult(page: Page): Promise<Buffer> {
  await page.getByRole("button", { name: "Segment", exact: true }).click();
  await page.getByRole("button", { name: /^spoon 1 / }).waitFor(PATIENTLY);
  await page.mouse.move(0, 0);
  await settled(page);
  return await page.screenshot();
}

/** The parts of the animation: the viewer before a click, and after it. */
export interface Click {
  readonly before: Buffer;
  readonly after: Buffer;
  /** The click's position, in pixels of both. */
  readonly at: { readonly x: number; readonly y: number };
}

async function takeClick(page: Page): Promise<Click> {
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

/** The person in front in the sample video, as the two begin to cross: a box in pixels of the video. */
const PERSON = { left: 22, top: 68, right: 350, bottom: 538 };
const CLIP = { file: "samples/people-crossing.mp4", width: 960, height: 540, fps: "5" };

/** Boxes the person in the sample video, tracks it, and steps through all frames. Returns screenshots of the player. */
async function takeClip(page: Page): Promise<readonly Buffer[]> {
  const player = page.locator(".clip-player");
  const take = async (): Promise<Buffer> => {
    await settled(page);
    return await player.screenshot();
  };
  await page.locator("input[type=file]").first().setInputFiles(CLIP.file);
  await page.getByLabel("Frames per second").selectOption(CLIP.fps);
  await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
  const frame = await page.locator(".viewer-canvas").boundingBox();
  if (frame === null) throw new Error("The studio shows no video.");
  const scale = Math.min(frame.width / CLIP.width, frame.height / CLIP.height);
  const left = frame.x + (frame.width - CLIP.width * scale) / 2;
  const top = frame.y + (frame.height - CLIP.height * scale) / 2;
  const moments = [await take()];
  await page.mouse.move(left + PERSON.left * scale, top + PERSON.top * scale);
  await page.mouse.down();
  await page.mouse.move(left + PERSON.right * scale, top + PERSON.bottom * scale, { steps: 5 });
  moments.push(await take());
  await page.mouse.up();
  await page.getByRole("button", { name: "Segment", exact: true }).click();
  await page.getByText(/^Frame 1 of \d/).waitFor(PATIENTLY);
  await page.getByLabel("Position in the video").focus();
  const count = Number(/of (\d+)/.exec((await page.locator(".transport-frame").textContent()) ?? "")?.[1]);
  for (let shown = 1; shown <= count; shown++) {
    moments.push(await take());
    await page.keyboard.press(".");
  }
  return moments;
}

/** The viewer draws once its masks are decoded. */
const settled = async (page: Page): Promise<void> => await page.waitForTimeout(1_000);

/** Duration of each picture of the animation, in milliseconds: the picture, the click, the mask. */
const SHOWN_MS = [1_200, 700, 2_400];
const MOVING_WIDTH = 600;
/** The color of the studio's page. */
const PAGE = "#f6f5f1";
/** Durations for the video: before and while pointing, then each frame, the last one longer. */
const CLIP_MS = { before: 1_000, pointing: 1_200, frame: 200, last: 1_500 };

/**
 * Writes screenshots of the studio as an animation.
 * @param delays in milliseconds, one per picture
 */
async function writeMoving(
  name: string,
  pictures: readonly Buffer[],
  delays: readonly number[],
  quality: number,
): Promise<void> {
  const small = await Promise.all(
    pictures.map((picture) =>
      sharp(picture).resize({ width: MOVING_WIDTH }).png().toBuffer({ resolveWithObject: true }),
    ),
  );
  const height = Math.max(...small.map(({ info }) => info.height));
  // The page grows with its list.
  const even = await Promise.all(
    small.map(({ data, info }) =>
      sharp(data)
        .extend({ bottom: height - info.height, background: PAGE })
        .png()
        .toBuffer(),
    ),
  );
  await sharp(even, { join: { animated: true } })
    .webp({ quality, delay: [...delays], loop: 0 })
    .toFile(image(name));
}

const image = (name: string): string => join(PROJECT_ROOT, "docs", "images", name);

/** Takes the README's screenshots of the real studio with the real model. */
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
      await writeMoving("studio-click.webp", [before, pointed, after], SHOWN_MS, 82);
      const moments = await takeClip(await openStudio(browser, stack));
      const delays = moments.map(() => CLIP_MS.frame);
      await writeMoving(
        "studio-clip.webp",
        moments,
        [CLIP_MS.before, CLIP_MS.pointing, ...delays.slice(3), CLIP_MS.last],
        60,
      );
      console.log("docs/images has studio.png, studio-click.webp and studio-clip.webp.");
    } finally {
      await stack.stop();
    }
  } finally {
    await browser.close();
    await rm(folder, { recursive: true });
  }
  return 0;
});
