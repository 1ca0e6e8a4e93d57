import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { type CocoDocument, SegmentationClient } from "segmentation-client";
import { decodeRle } from "segmentation-client/masks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { placeOfSample } from "../../../scripts/shared/studio-sample.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import { instance, segment } from "../../../test/support/browser/studio-work.ts";
import {
  closeBrowser,
  findingsOn,
  openStudio,
  furtherFindingsOn,
} from "../../../test/support/browser/studio.ts";

/** Opens the menu of an object and chooses from it. */
async function change(page: Page, object: string, what: string): Promise<void> {
  await page.getByRole("button", { name: `Change ${object}`, exact: true }).click();
  await page.getByRole("menuitem", { name: what }).click();
}

/** The open picture's COCO document, as the export has it. */
async function coco(page: Page): Promise<CocoDocument> {
  await page.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download COCO" }).click(),
  ]);
  await page.getByRole("button", { name: "Close" }).click();
  return JSON.parse(await readFile(await download.path(), "utf8"));
}

/** The area of each object by its class. */
const areas = ({ annotations, categories }: CocoDocument): Record<string, number> =>
  Object.fromEntries(
    annotations.map(({ area, category_id }) => [
      categories.find(({ id }) => id === category_id)?.name ?? "",
      area,
    ]),
  );

/** Parts of the sample, each by some of its pixels. */
const PARTS: Readonly<Record<string, readonly (readonly [x: number, y: number])[]>> = {
  handle: [
    [218, 278],
    [210, 285],
    [228, 262],
    [222, 250],
    [205, 290],
  ],
  "the cup's body": [
    [290, 220],
    [290, 120],
    [250, 100],
    [380, 150],
    [200, 180],
    [290, 262],
  ],
  "the cup's rim": [[290, 30]],
  "the spoon's bowl": [
    [366, 285],
    [350, 300],
    [385, 280],
  ],
  "the spoon's end": [
    [412, 85],
    [415, 75],
    [410, 95],
  ],
  saucer: [
    [440, 200],
    [430, 330],
    [120, 200],
    [200, 340],
  ],
};

/** The parts of the sample that are in the mask of an object, by its class; a part that is cut is in none of the names. */
function partsOf({ annotations, categories }: CocoDocument, name: string): string[] {
  const category = categories.find((each) => each.name === name)?.id;
  const rle = annotations.find(({ category_id }) => category_id === category)?.segmentation;
  if (rle === undefined) throw new Error(`There is no ${name}.`);
  const { data, width } = decodeRle(rle);
  return Object.keys(PARTS).filter((part) => PARTS[part]?.every(([x, y]) => data[y * width + x] !== 0));
}

/** A stroke from one pixel of the sample to another. */
async function drag(
  page: Page,
  from: readonly [number, number],
  to: readonly [number, number],
): Promise<void> {
  const { x, y, scale } = await placeOfSample(page);
  await page.mouse.move(x + from[0] * scale, y + from[1] * scale);
  await page.mouse.down();
  await page.mouse.move(x + to[0] * scale, y + to[1] * scale, { steps: 5 });
  await page.mouse.up();
}

describe("the objects of a picture", () => {
  let stack: SharedStack;
  beforeAll(async () => {
    stack = await useSharedStack();
  });
  afterAll(closeBrowser);

  it.runIf(isLong)(
    "get their classes by keys: the next one before it is found, and several at once",
    async () => {
      const { page, complaints } = await openStudio(stack);
      await page.getByText("Try this sample").click();
      await segment(page).click();
      await instance(page, "spoon 1").waitFor();
      const { x, y, scale } = await placeOfSample(page);
      await page.keyboard.press("1");
      await page.getByText("The next object that you point at gets the class cup.").waitFor();
      const asked = page.waitForRequest(
        (request) => request.method() === "POST" && request.url().endsWith("/v1/jobs"),
      );
      await page.mouse.click(x + 430 * scale, y + 330 * scale);
      expect((await asked).postDataJSON()).toMatchObject({ regions: [{ label: "cup" }] });
      await instance(page, "cup 2").waitFor();
      await page.getByLabel("Names on the picture").check();
      const names = () => page.locator(".viewer-names span").allTextContents();
      await expect.poll(async () => (await names()).toSorted()).toEqual(["cup 1", "cup 2", "spoon 1"]);
      expect(await findingsOn(page)).toEqual([]);

      // A click on a mask selects its object, and a rectangle all others, too.
      await page.mouse.click(x + 290 * scale, y + 120 * scale);
      await page.getByText(/^cup 1 is selected\./).waitFor();
      await page.keyboard.down("Control");
      await drag(page, [5, 5], [595, 395]);
      await page.keyboard.up("Control");
      await page.getByText("3 objects selected").waitFor();
      await page.getByRole("button", { name: "Deselect" }).click();
      await instance(page, "cup 1").click({ modifiers: ["ControlOrMeta"] });
      await instance(page, "cup 2").click({ modifiers: ["Shift"] });
      await page.getByText("2 objects selected").waitFor();
      expect(await findingsOn(page)).toEqual([]);
      await page.keyboard.press("2");
      for (const name of ["spoon 1", "spoon 2", "spoon 3"]) await instance(page, name).waitFor();
      await page.keyboard.press("Delete");
      await expect.poll(() => page.getByRole("button", { name: /%$/ }).count()).toBe(1);
      expect(complaints).toEqual([]);
    },
  );

  it("are painted, renamed, merged and deleted without another job; all of it can be undone, stays after a reload, and is exported", async () => {
    const { page, complaints } = await openStudio(stack, "/studio", { acceptDownloads: true });
    await page.getByText("Try this sample").click();
    await segment(page).click();
    await instance(page, "spoon 1").waitFor();
    const before = areas(await coco(page));
    const jobs: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST" && request.url().endsWith("/v1/jobs")) jobs.push(request.url());
    });

    await change(page, "spoon 1", "Rename…");
    await page.getByRole("combobox", { name: "Name" }).fill("teaspoon");
    expect(await furtherFindingsOn(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await instance(page, "teaspoon 1").waitFor();

    await change(page, "cup 1", "Brush and eraser");
    await drag(page, [60, 40], [160, 40]);
    await page.getByRole("button", { name: "Undo" }).waitFor();
    expect(await findingsOn(page)).toEqual([]);
    const painted = areas(await coco(page));
    expect(Object.keys(painted)).toEqual(["cup", "teaspoon"]);
    expect(painted["cup"]).toBeGreaterThan((before["cup"] ?? 0) + 500);
    expect(painted["teaspoon"]).toBe(before["spoon"]);

    // The painted area is a separate part: it touches nothing.
    await change(page, "cup 1", "Split into parts");
    await instance(page, "cup 2").waitFor();
    await change(page, "cup 2", "Delete");
    await instance(page, "cup 2").waitFor({ state: "detached" });

    // A prompt has a separate confidence, which is an edit, too.
    await page.getByText("For each prompt").click();
    await page.getByLabel("cup", { exact: true }).fill("1");
    await instance(page, "cup 1").waitFor({ state: "detached" });
    await page.reload();
    await instance(page, "teaspoon 1").waitFor();
    expect(await instance(page, "cup 1").count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await instance(page, "cup 1").waitFor();
    expect(await instance(page, "cup 2").count()).toBe(0);
    await page.getByRole("button", { name: "Undo" }).click();
    await instance(page, "cup 2").waitFor();
    await page.keyboard.press("Control+Shift+Z");
    await instance(page, "cup 2").waitFor({ state: "detached" });

    await change(page, "cup 1", "Merge with…");
    await page.getByRole("checkbox", { name: "teaspoon 1" }).check();
    expect(await furtherFindingsOn(page)).toEqual([]);
    await page.getByRole("button", { name: "Merge", exact: true }).click();
    await instance(page, "teaspoon 1").waitFor({ state: "detached" });
    expect(Object.keys(areas(await coco(page)))).toEqual(["cup"]);

    while (await page.getByRole("button", { name: "Undo" }).isVisible())
      await page.getByRole("button", { name: "Undo" }).click();
    await instance(page, "spoon 1").waitFor();
    expect(areas(await coco(page))).toEqual(before);
    expect(jobs).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it.runIf(isLong)(
    "are corrected by pointing at them, for nothing: in at most two clicks the cup that words found without its handle and the spoon with its other end, seen beside what it was, and back to the start",
    async () => {
      const { page } = await openStudio(stack, "/studio", { acceptDownloads: true });
      // The service draws each correction.
      await page.route(/\/decoders\//, (route) => route.abort());
      await page.getByText("Try this sample").click();
      await segment(page).click();
      await instance(page, "spoon 1").waitFor();
      const found = await coco(page);
      const before = areas(found);
      expect(partsOf(found, "cup")).toEqual(["handle", "the cup's body", "the cup's rim"]);
      expect(partsOf(found, "spoon")).toEqual(["the spoon's bowl"]);
      await change(page, "cup 1", "Refine by points");
      const { x, y, scale } = await placeOfSample(page);
      const click = async (
        at: readonly [number, number],
        modifiers: ("Alt" | "Shift")[] = [],
      ): Promise<void> => {
        const position = { x: x + at[0] * scale, y: y + at[1] * scale };
        for (const key of modifiers) await page.keyboard.down(key);
        const [response] = await Promise.all([
          page.waitForResponse(
            (each) => each.url().endsWith("/v1/jobs") && each.request().method() === "POST",
          ),
          page.mouse.click(position.x, position.y),
        ]);
        for (const key of modifiers) await page.keyboard.up(key);
        expect(response.status()).toBe(202);
        await page
          .getByText("Segmenting the object that you pointed at")
          .first()
          .waitFor({ state: "detached" });
      };
      await click([218, 278], ["Alt"]);
      await expect.poll(async () => areas(await coco(page))["cup"]).toBeLessThan(before["cup"] ?? 0);
      const corrected = areas(await coco(page));
      expect(corrected["spoon"]).toBe(before["spoon"]);
      const zoom = page.getByRole("button", { name: "fit to frame" }).first();
      const fit = await zoom.textContent();
      await page.getByRole("button", { name: "Before and after" }).click();
      await page.getByRole("application", { name: "cup 1 before" }).waitFor();
      expect(await findingsOn(page)).toEqual([]);
      await page.getByRole("button", { name: "Before and after" }).click();
      // The picture has the whole frame again.
      await expect.poll(async () => await zoom.textContent()).toBe(fit);
      await click([290, 30]);
      await expect.poll(async () => areas(await coco(page))).not.toEqual(corrected);

      // Both were free, and the object is corrected wherever the job is opened.
      const { items } = await new SegmentationClient(stack).api.listJobs();
      const results = await Promise.all(
        items
          .slice(0, 3)
          .map(async ({ jobId }) => await new SegmentationClient(stack).api.retrieveJobResult({ jobId })),
      );
      const units = results.flatMap(({ manifest }) =>
        manifest.type === "image" ? manifest.items.map((item) => item.units) : [],
      );
      expect(units.toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
      const refined = await coco(page);
      expect(partsOf(refined, "cup")).toEqual(["the cup's body", "the cup's rim"]);
      const last = areas(refined);
      const { page: elsewhere } = await openStudio(
        stack,
        new URL(page.url()).pathname + new URL(page.url()).search,
        {
          acceptDownloads: true,
        },
      );
      await instance(elsewhere, "cup 1").waitFor();
      await expect.poll(async () => areas(await coco(elsewhere))).toEqual(last);

      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
      expect(areas(await coco(page))).toEqual(before);

      // Of the spoon words have found the bowl alone: one click adds its other end.
      await change(page, "spoon 1", "Refine by points");
      await click([412, 85]);
      await expect
        .poll(async () => partsOf(await coco(page), "spoon"))
        .toEqual(["the spoon's bowl", "the spoon's end"]);
      await page.getByRole("button", { name: "Undo" }).click();
      await page.getByRole("button", { name: "Undo" }).waitFor({ state: "detached" });
      expect(areas(await coco(page))).toEqual(before);
    },
  );

  it.runIf(isLong)("are erased and painted by keys, which one sheet lists", async () => {
    const { page } = await openStudio(stack, "/studio", { acceptDownloads: true });
    await page.getByText("Try this sample").click();
    await segment(page).click();
    await instance(page, "spoon 1").waitFor();
    const before = areas(await coco(page));
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await page.keyboard.press("Escape");

    await change(page, "cup 1", "Brush and eraser");
    await page.getByRole("application").focus();
    await page.keyboard.press("e");
    // The first arrow shows the crosshair in the middle of the picture, which is on the cup.
    for (const key of ["ArrowLeft", "b", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Enter"])
      await page.keyboard.press(key);
    await page.getByRole("button", { name: "Undo" }).waitFor();
    const erased = areas(await coco(page));
    expect(erased["cup"]).toBeLessThan((before["cup"] ?? 0) - 100);
    expect(erased["spoon"]).toBe(before["spoon"]);
    await page.keyboard.press("Control+z");
    await page.getByRole("button", { name: "Redo" }).waitFor();
    expect(areas(await coco(page))).toEqual(before);
  });
});
