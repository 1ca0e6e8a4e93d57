import type { Page } from "playwright-core";
import { encodeMaskPng } from "../../../inference-container/src/masks/write-mask-png.ts";
import { RunList } from "@segmentation/masks";
import { servePage } from "../../../studio/test/support/serve-page.ts";
import { needChromium } from "../../shared/chromium.ts";
import type { BenchRequest } from "../arguments.ts";
import { formatSpread, spread, markdownTable } from "../report.ts";

/** The times of one frame of a panned picture, in ms. */
interface FrameTimes {
  /** Until the last pixel was drawn. */
  readonly drawn: number;
  /** Since the frame before. */
  readonly between: number;
}

const PICTURE = { width: 4_000, height: 3_000 };
const MASKS = 100;
const FRAMES_PER_ROUND = 60;
const WARM_UP = 5;

/** Drags over a picture with the masks of these files, in a separate viewer: pans it, or paints a stroke. */
async function measure(
  page: Page,
  scene: { readonly urls: readonly string[]; readonly at: object },
  tool: "pan" | "brush" = "pan",
): Promise<FrameTimes> {
  await page.evaluate(`viewer.openLarge(${JSON.stringify({ ...PICTURE, ...scene })})`);
  // Makes room to pan.
  await page.getByRole("button", { name: "Zoom in" }).click();
  await page.evaluate(`viewer.tool.value = ${JSON.stringify(tool)}`);
  const frames: FrameTimes[] = await page.evaluate(
    `viewer.panFrames(document.querySelector("canvas"), ${FRAMES_PER_ROUND + WARM_UP})`,
  );
  const median = (of: keyof FrameTimes): number =>
    spread(frames.slice(WARM_UP).map((frame) => frame[of])).median;
  return { drawn: median("drawn"), between: median("between") };
}

/** Measures the frames of the studio while it pans a large picture, with and without masks. Returns the report's lines. */
export async function benchViewer({ rounds }: BenchRequest, signal: AbortSignal): Promise<string[]> {
  const browser = await needChromium();
  const served = await servePage();
  const runs: {
    readonly bare: FrameTimes;
    readonly masked: FrameTimes;
    readonly painted: FrameTimes;
  }[] = [];
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.goto(served.url);
    await page.waitForFunction("globalThis.viewer !== undefined");
    const files = ellipseFiles(MASKS, PICTURE.width, PICTURE.height);
    const masks = {
      urls: files.map(({ file }, i) => served.put(`${i}.png`, file)),
      at: { x: files.at(-1)?.x, y: files.at(-1)?.y },
    };
    const none = { urls: [], at: {} };
    for (let round = 0; round < rounds; round++) {
      signal.throwIfAborted();
      if (round % 2 === 0) {
        const bare = await measure(page, none);
        const masked = await measure(page, masks);
        runs.push({ bare, masked, painted: await measure(page, masks, "brush") });
      } else {
        const painted = await measure(page, masks, "brush");
        const masked = await measure(page, masks);
        runs.push({ painted, masked, bare: await measure(page, none) });
      }
    }
  } finally {
    await browser.close();
    await served.close();
  }
  const row = (label: string, of: keyof FrameTimes): string[] => [
    label,
    formatSpread(spread(runs.map(({ bare }) => bare[of])), 1),
    formatSpread(spread(runs.map(({ masked }) => masked[of])), 1),
    formatSpread(spread(runs.map(({ bare, masked }) => masked[of] / bare[of])), 2),
    formatSpread(spread(runs.map(({ painted }) => painted[of])), 1),
    formatSpread(spread(runs.map(({ bare, painted }) => painted[of] / bare[of])), 2),
  ];
  return [
    "",
    ...markdownTable(
      [
        `median [least–most] of ${rounds}`,
        "picture alone",
        `with ${MASKS} masks`,
        "÷",
        "a stroke on one of them",
        "÷",
      ],
      [
        row("median time until a frame is drawn, ms", "drawn"),
        row("median time between frames, ms", "between"),
      ],
    ),
  ];
}

/** A mask's file, and the center of its ellipse. */
interface EllipseFile {
  readonly file: Uint8Array;
  readonly x: number;
  readonly y: number;
}

/** The mask files of ellipses in rows, each slightly overlapping its neighbors. */
function ellipseFiles(count: number, width: number, height: number): EllipseFile[] {
  const columns = Math.ceil(Math.sqrt((count * width) / height));
  const rows = Math.ceil(count / columns);
  const [wide, high] = [(0.6 * width) / columns, (0.6 * height) / rows];
  return Array.from({ length: count }, (_, i) => {
    const x = ((i % columns) + 0.5) * (width / columns);
    const y = (Math.floor(i / columns) + 0.5) * (height / rows);
    const runs = new RunList(height);
    for (let row = 0; row < height; row++) {
      runs.startRow(row, width);
      const half = wide * Math.sqrt(Math.max(0, 1 - ((row - y) / high) ** 2));
      const [from, to] = [Math.max(0, Math.round(x - half)), Math.min(width, Math.round(x + half))];
      if (from < to) runs.add(from, to);
    }
    const file = encodeMaskPng(runs.finish(width, height), { keyword: "prompt", text: "ellipse" });
    return { file, x, y };
  });
}
