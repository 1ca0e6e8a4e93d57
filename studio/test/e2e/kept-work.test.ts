import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { SegmentationClient } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import { begin, COFFEE, give, instance, segment } from "../../../test/support/browser/studio-work.ts";
import {
  closeBrowser,
  handleRequests,
  openStudio,
  openTab,
  signInByKey,
} from "../../../test/support/browser/studio.ts";

async function rename(page: Page, object: string, to: string): Promise<void> {
  await page.getByRole("button", { name: `Change ${object}`, exact: true }).click();
  await page.getByRole("menuitem", { name: "Rename…" }).click();
  await page.getByRole("combobox", { name: "Name" }).fill(to);
  await page.getByRole("button", { name: "Rename", exact: true }).click();
}

const saved = (page: Page): Promise<void> => page.getByText("Saved", { exact: true }).waitFor();

const ANNOTATIONS = /\/annotations$/;

describe("work on a result", () => {
  let stack: SharedStack;
  let client: SegmentationClient;
  beforeAll(async () => {
    stack = await useSharedStack();
    client = new SegmentationClient(stack);
  });
  afterAll(closeBrowser);

  const documentOf = async (page: Page) => {
    const jobId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    return (await client.api.retrieveJobAnnotations({ jobId })).document;
  };

  /** A page with a cup and a spoon that were found. */
  async function openFound() {
    const studio = await openStudio(stack);
    await give(studio.page, COFFEE);
    await studio.page.getByLabel("Prompts").fill("cup, spoon,");
    await segment(studio.page).click();
    await instance(studio.page, "spoon 1").waitFor();
    await saved(studio.page);
    return studio;
  }

  it.runIf(isLong)("is the same in another browser, and both show the changes of both", async () => {
    const { page } = await openFound();
    await rename(page, "cup 1", "mug");
    await page.getByRole("button", { name: "Change spoon 1" }).click();
    await page.getByRole("menuitem", { name: "Brush and eraser" }).click();
    const surface = await page.locator(".viewer-surface").first().boundingBox();
    if (surface === null) throw new Error("There is no picture.");
    await page.mouse.click(surface.x + surface.width / 2, surface.y + surface.height / 2);
    await expect
      .poll(async () => (await documentOf(page)).tasks[0]?.objects.some(({ mask }) => mask !== undefined))
      .toBe(true);
    const { page: elsewhere, complaints } = await openStudio(stack, new URL(page.url()).pathname);
    await instance(elsewhere, "mug 1").waitFor();
    await expect.poll(() => elsewhere.title()).toContain("coffee.png");
    await elsewhere.getByText("isn’t in this browser").waitFor({ state: "detached" });

    // Each changes something while it does not know of the other's change.
    await handleRequests(elsewhere, ANNOTATIONS, (route) => route.abort(), 1);
    await rename(elsewhere, "spoon 1", "ladle");
    await rename(page, "mug 1", "bowl");
    for (const each of [page, elsewhere]) {
      await instance(each, "bowl 1").waitFor();
      await instance(each, "ladle 1").waitFor();
    }
    expect((await documentOf(page)).classes.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["cup", "spoon", "mug", "bowl", "ladle"]),
    );
    expect(complaints.filter((each) => !each.includes("ERR_FAILED") && !each.includes("412"))).toEqual([]);
  });

  it.runIf(isLong)("stays when another word is added, and costs that word alone", async () => {
    const { page, complaints } = await openStudio(stack);
    await begin(page);
    await segment(page).click();
    await instance(page, "cup 1").waitFor();
    await rename(page, "cup 1", "mug");
    await page.getByRole("button", { name: "Change prompts" }).click();
    await page.getByLabel("Prompts").fill("spoon,");
    await page.getByText("1 unit. What was found so far stays.").waitFor();
    const asked = page.waitForRequest(
      (request) => request.method() === "POST" && request.url().endsWith("/jobs"),
    );
    await page.getByRole("button", { name: "Add spoon" }).press("Enter");
    expect((await asked).postDataJSON()).toMatchObject({ prompts: ["spoon"] });
    // While it searches, the button keeps the focus.
    expect(await page.evaluate("document.activeElement.tagName")).toBe("BUTTON");
    for (const name of ["mug 1", "spoon 1"]) await instance(page, name).waitFor();
    await saved(page);

    // It is the same after a reload, and elsewhere; all of it is exported together.
    const { page: elsewhere } = await openStudio(stack, new URL(page.url()).pathname, {
      acceptDownloads: true,
    });
    await instance(elsewhere, "spoon 1").waitFor();
    for (const each of [page, elsewhere]) {
      // Its second look is the same.
      await each.reload();
      for (const name of ["mug 1", "spoon 1"]) await instance(each, name).waitFor();
      expect(await each.getByRole("region", { name: "Searches" }).count()).toBe(0);
    }
    await elsewhere.getByRole("button", { name: "Export" }).click();
    const [download] = await Promise.all([
      elsewhere.waitForEvent("download"),
      elsewhere.getByRole("button", { name: "Download COCO" }).click(),
    ]);
    const coco = JSON.parse(await readFile(await download.path(), "utf8"));
    const names = new Map(coco.categories.map(({ id, name }: { id: number; name: string }) => [id, name]));
    expect(
      coco.annotations.map((each: { category_id: number }) => names.get(each.category_id)).toSorted(),
    ).toEqual(["mug", "spoon"]);
    expect(complaints).toEqual([]);
  });

  it.runIf(isLong)("is whole after a sign-out, and after the browser's storage was wiped", async () => {
    const { page } = await openFound();
    await rename(page, "cup 1", "mug");
    await saved(page);
    const { pathname } = new URL(page.url());
    await page.getByRole("button", { name: "Sign out" }).click();
    await signInByKey(page, stack.apiKey);
    await page.goto(stack.baseUrl + pathname);
    await instance(page, "mug 1").waitFor();
    await expect.poll(() => page.title()).toContain("coffee.png");
    await page.evaluate(`localStorage.clear(); indexedDB.deleteDatabase("segmentation-studio")`);
    // The second look is the same.
    for (const _ of [1, 2]) {
      await page.reload();
      await instance(page, "mug 1").waitFor();
      await page.getByText("isn’t in this browser").waitFor({ state: "detached" });
    }
  });

  it.runIf(isLong)("says of a missing file only what is known about it", async () => {
    const { page } = await openFound();
    const { page: elsewhere } = await openStudio(stack);
    const answer = await handleRequests(elsewhere, /\/inputs$/, (route) => route.abort());
    await elsewhere.goto(page.url());
    await elsewhere.getByText("Open the file again to see it under its masks.").waitFor();
    expect(await elsewhere.getByText("no longer has").count()).toBe(0);
    answer();
    await handleRequests(elsewhere, /\/inputs$/, (route) => route.fulfill({ json: { inputs: [] } }), 1);
    await elsewhere.reload();
    await elsewhere.getByText("The service no longer has its file.").waitFor();
    await elsewhere.reload();
    await elsewhere.getByText("isn’t in this browser").waitFor({ state: "detached" });
  });

  it.runIf(isLong)("is saved once, although the service went away in the middle of a save", async () => {
    const { page } = await openFound();
    // The service saves, and its answer is lost; then it is away.
    let isAway = true;
    await handleRequests(page, ANNOTATIONS, async (route) => {
      if (!isAway) return await route.fallback();
      if (route.request().method() === "PUT") await route.fetch();
      await route.abort();
    });
    await rename(page, "cup 1", "mug");
    await page.getByText("Not saved:").waitFor();
    await rename(page, "spoon 1", "ladle");
    isAway = false;
    await saved(page);
    await expect
      .poll(async () => (await documentOf(page)).classes.map(({ name }) => name))
      .toEqual(["cup", "spoon", "mug", "ladle"]);
  });

  it.runIf(isLong)(
    "is asked about before a sign-out if neither the service nor the browser has it",
    async () => {
      const { page } = await openFound();
      await handleRequests(page, ANNOTATIONS, (route) => route.abort());
      await page.evaluate("Storage.prototype.setItem = () => { throw new DOMException('Full'); }");
      await rename(page, "cup 1", "mug");
      await page.getByText("Not saved:").waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByText("Changes to coffee.png that are not saved").waitFor();
    },
  );

  it.runIf(isLong)("is not called saved if the script that saves it can't be fetched", async () => {
    const { page } = await openStudio(stack);
    await page.route(/\/assets\/keep-/, (route) => route.abort());
    await page.reload();
    await give(page, COFFEE);
    await page.getByLabel("Prompts").fill("cup,");
    await segment(page).click();
    await page.getByText("Not saved: A part of the studio could not be loaded.").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("Changes to coffee.png that are not saved").waitFor();
  });

  it.runIf(isLong)("goes on in a second tab", async () => {
    const { page, context } = await openFound();
    const second = await openTab(context, page.url());
    await signInByKey(second.page, stack.apiKey);
    await rename(page, "cup 1", "boy");
    await instance(second.page, "boy 1").waitFor();
    await rename(second.page, "boy 1", "woman");
    await instance(page, "woman 1").waitFor();
    await page.reload();
    await instance(page, "woman 1").waitFor();
  });
});
