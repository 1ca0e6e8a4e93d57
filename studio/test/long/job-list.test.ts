import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SegmentationClient } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { present } from "../../../test/support/at.ts";
import { plantJobs } from "../../../test/support/stack/plant-jobs.ts";
import { type SpawnedStack, spawnStack } from "../../../test/support/stack/spawn-stack.ts";
import { closeBrowser, openStudio } from "../../../test/support/browser/studio.ts";

const JOBS = 10_000;
/** A frame that people notice, in milliseconds. */
const NOTICED_MS = 50;

const Walk = z.object({ frames: z.array(z.number()), mostRows: z.number() });

/** In the browser: scrolls so many pixels in each frame until an end of the whole list; the frames' lengths in ms. */
const walk = (pixelsPerFrame: number): string => `new Promise((resolve) => {
  const frames = [];
  let mostRows = 0, before = performance.now(), at = -1;
  const step = (now) => {
    frames.push(now - before);
    before = now;
    mostRows = Math.max(mostRows, document.querySelectorAll("[role=row]").length);
    const isWhole = document.querySelector("[role=grid]").ariaRowCount !== "-1";
    if (isWhole && scrollY === at) return resolve({ frames: frames.slice(1), mostRows });
    at = scrollY;
    scrollBy(0, ${pixelsPerFrame});
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;

const Trace = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      tdur: z.number().optional(),
      args: z.object({ name: z.unknown() }).partial().optional(),
    }),
  ),
});

/** The processor time of each task of the page's main thread, in ms, which other work on the machine doesn't lengthen. */
function tasksOf(trace: Buffer): number[] {
  const { traceEvents } = Trace.parse(JSON.parse(trace.toString()));
  const isMain = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return traceEvents.flatMap(({ name, pid, tid, tdur }) =>
    name === "ThreadControllerImpl::RunTask" && tdur !== undefined && isMain.has(`${pid} ${tid}`)
      ? [tdur / 1_000]
      : [],
  );
}

/** "median …, 99 % within …, longest …" of some milliseconds. */
function inWords(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
  return `median ${at(0.5)} ms, 99 % within ${at(0.99)} ms, longest ${at(1)} ms`;
}

describe(`the studio's list of ${JOBS} jobs`, () => {
  let stateDir: string;
  let stack: SpawnedStack;
  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), "job-list-"));
    stack = await spawnStack({ stateDir });
    const { accountId } = await new SegmentationClient(stack).api.getAccount();
    await plantJobs(stateDir, accountId, JOBS);
  });
  afterAll(async () => {
    await closeBrowser();
    await stack.stop();
    await rm(stateDir, { recursive: true });
  });

  it("scrolls from the newest to the oldest and back with few rows drawn; prints the frames", async () => {
    const { page } = await openStudio(stack, "/studio/jobs");
    await page.getByRole("row").first().waitFor();
    const browser = present(page.context().browser(), "browser");
    for (const [name, pixels] of [
      ["down, page after page", 1_200],
      ["up again, all of them there", -1_200],
    ] as const) {
      await browser.startTracing(page, { categories: ["toplevel"] });
      const { frames, mostRows } = Walk.parse(await page.evaluate(walk(pixels)));
      const tasks = tasksOf(await browser.stopTracing());
      console.log(
        `${name}: ${frames.length} frames, ${inWords(frames)}, ${frames.filter((ms) => ms > NOTICED_MS).length} above ` +
          `${NOTICED_MS} ms; ${tasks.length} tasks of the main thread, longest ${Math.max(...tasks).toFixed(1)} ms of ` +
          `processor time; at most ${mostRows} rows`,
      );
      expect(tasks.length).toBeGreaterThan(frames.length);
      expect(mostRows).toBeLessThan(40);
    }
    expect(await page.getByRole("grid").getAttribute("aria-rowcount")).toBe(String(JOBS));
  });
});
