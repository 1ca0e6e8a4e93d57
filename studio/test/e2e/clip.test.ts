import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import type { CreateJobRequest, MasksJson } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { panClip } from "../../../test/support/media/pan-clip.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import { give, segment } from "../../../test/support/browser/studio-work.ts";
import {
  closeBrowser,
  findingsOn,
  openStudio,
  furtherFindingsOn,
} from "../../../test/support/browser/studio.ts";

/** Two frames are processed of it. */
const CLIP = { name: "cat.mp4", mimeType: "video/mp4", buffer: Buffer.from(panClip(1)) };
const SIZE = { width: 640, height: 480 };

/** An object in the list, by its text. */
const track = (page: Page, name: string, says: RegExp | string) =>
  page.getByRole("listitem").filter({ hasText: name }).filter({ hasText: says });

/** Waits until one can point at the video. */
const untilReady = (page: Page): Promise<void> => page.getByRole("toolbar", { name: "Pointer" }).waitFor();

/** Returns the position of a pixel of the video on the page. */
async function placeOf(page: Page, x: number, y: number): Promise<[number, number]> {
  const frame = await page.locator(".viewer-canvas").boundingBox();
  if (frame === null) throw new Error("The studio shows no video.");
  const scale = Math.min(frame.width / SIZE.width, frame.height / SIZE.height);
  return [
    frame.x + (frame.width - SIZE.width * scale) / 2 + x * scale,
    frame.y + (frame.height - SIZE.height * scale) / 2 + y * scale,
  ];
}

async function change(page: Page, object: string, what: string): Promise<void> {
  await page.getByRole("button", { name: `Change ${object}`, exact: true }).click();
  await page.getByRole("menuitem", { name: what }).click();
}

/** Returns the request of the job that a click on "Segment" creates. */
async function asked(page: Page): Promise<CreateJobRequest> {
  const [request] = await Promise.all([
    page.waitForRequest((each) => each.method() === "POST" && each.url().endsWith("/v1/jobs")),
    segment(page).click(),
  ]);
  return request.postDataJSON();
}

describe("a video", () => {
  let stack: SharedStack;
  beforeAll(async () => {
    stack = await useSharedStack();
  });
  afterAll(closeBrowser);

  it.runIf(isLong)(
    "tracks a clicked object under its given name, corrected in another frame by a second job",
    async () => {
      const { page, complaints } = await openStudio(stack, "/studio", { acceptDownloads: true });
      await give(page, [CLIP]);
      await untilReady(page);
      await page.getByText("Frame 1 of about 2").waitFor();
      await page.mouse.click(...(await placeOf(page, 330, 220)));
      await track(page, "Object 1", "pointed at 0:00.0").waitFor();
      await change(page, "Object 1", "Rename…");
      await page.getByRole("combobox", { name: "Name" }).fill("my cat");
      await page.keyboard.press("Enter");
      await track(page, "my cat 1", "pointed at 0:00.0").waitFor();
      expect(await findingsOn(page)).toEqual([]);

      // One frame shows the clicked object, before the video is paid for.
      await page.getByRole("button", { name: "Try this frame, 1 unit" }).click();
      await page.getByText(/^Found: my cat 1, \d+%\./).waitFor();
      expect(await furtherFindingsOn(page)).toEqual([]);
      await page.getByRole("button", { name: "Close" }).click();

      const first = await asked(page);
      expect(first).toMatchObject({
        type: "video",
        fps: 2,
        generatePreview: true,
        formats: ["coco"],
        regions: [{ timeSeconds: 0, objectId: 1, label: "my cat", points: [{ label: 1 }] }],
      });
      expect(first.prompts).toBeUndefined();
      await track(page, "my cat 1", "2 frames, 0:00.0–0:00.5").waitFor();
      await page.getByRole("button", { name: /^Run again, / }).waitFor();
      expect(await furtherFindingsOn(page)).toEqual([]);
      await page.getByRole("button", { name: "Export" }).click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download masks.json" }).click(),
      ]);
      const masks: MasksJson = JSON.parse(await readFile(await download.path(), "utf8"));
      const [mattes] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download Luma mattes" }).click(),
      ]);
      expect(Object.keys(unzipSync(new Uint8Array(await readFile(await mattes.path())))).toSorted()).toEqual(
        ["all", "my cat-1"].flatMap((folder) =>
          masks.frames.map(({ frameIdx }) => `mattes/${folder}/${String(frameIdx).padStart(6, "0")}.png`),
        ),
      );
      for (const format of ["COCO", "Video with masks"])
        await page.getByRole("button", { name: `Download ${format}` }).waitFor();
      expect(await page.getByRole("button", { name: /^Run again to include/ }).count()).toBe(0);
      await page.getByRole("button", { name: "Close" }).click();
      expect(masks.frames.map(({ objects }) => objects)).toMatchObject([
        [{ objectId: 1, regionIndex: 0, label: "my cat" }],
        [{ objectId: 1, regionIndex: 0, label: "my cat" }],
      ]);

      // All of it is there after a reload; a correction is a further region of the same object.
      await page.reload();
      await track(page, "my cat 1", "2 frames").waitFor();
      await untilReady(page);
      await change(page, "my cat 1", "Correct by points");
      // The keys are the frame's at once.
      for (const key of [".", "ArrowUp", "Enter"]) await page.keyboard.press(key);
      const second = await asked(page);
      expect(second.regions).toMatchObject([
        first.regions?.[0],
        { timeSeconds: 0.5, objectId: 1, label: "my cat", points: [{ label: 1 }] },
      ]);
      await page.getByText("Frame 2 of 2").waitFor();
      await page.getByRole("button", { name: /^Run again, / }).waitFor();
      await track(page, "my cat 1", "2 frames, 0:00.0–0:00.5").waitFor();
      expect(complaints).toEqual([]);

      // Another browser has the result at each look.
      const { page: elsewhere } = await openStudio(stack, new URL(page.url()).pathname);
      await track(elsewhere, "my cat 1", "2 frames").waitFor();
      await elsewhere.reload();
      await track(elsewhere, "my cat 1", "2 frames").waitFor();
    },
  );

  it("is operated by touch, too: nothing is sent, and all can be undone", async () => {
    const { page } = await openStudio(stack, "/studio", {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 800 },
    });
    await give(page, [CLIP]);
    await untilReady(page);
    await page.getByText(/^Tap an object/).waitFor();
    await page.touchscreen.tap(...(await placeOf(page, 330, 220)));
    await track(page, "Object 1", "pointed at 0:00.0").waitFor();
    // The scrubber is as wide as the bars below it, but for half a knob at each end.
    const scrubber = await page.getByLabel("Position in the video").boundingBox();
    const bar = await page.locator(".track-bar").boundingBox();
    expect((scrubber?.width ?? 0) - 16).toBeCloseTo(bar?.width ?? 0, 0);
    await page.locator(".track-bar").tap({ position: { x: (bar?.width ?? 0) * 0.6, y: 16 } });
    await page.getByText("Frame 2 of about 2").waitFor();
    await page.getByRole("application").scrollIntoViewIfNeeded();
    await page.touchscreen.tap(...(await placeOf(page, 100, 100)));
    await track(page, "Object 2", "pointed at 0:00.5").waitFor();
    expect(await furtherFindingsOn(page)).toEqual([]);
    for (const object of ["Object 2", "Object 1"]) {
      await page.getByRole("button", { name: "Undo" }).tap();
      await track(page, object, "pointed at").waitFor({ state: "detached" });
    }
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(0);
  });
});
