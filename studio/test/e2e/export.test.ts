import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import { type CocoDocument, ImageResult, SegmentationClient } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sample } from "../../../test/support/media/sample.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import {
  savedBy,
  closeBrowser,
  openPage,
  openStudio,
  findingsOn,
  furtherFindingsOn,
} from "../../../test/support/browser/studio.ts";
import { isLong } from "../../../inference-container/test/support/form.ts";

const PROMPTS = ["cat", "cup"];
const FILES: readonly (readonly [name: string, content: Uint8Array])[] = [
  ["the cat's.png", sample("chelsea")],
  ["coffee.png", sample("coffee")],
  ["broken.png", sample("coffee").subarray(0, 20_000)],
];

/** Waits until a picture has the focus, in the viewer or in the gallery. */
const hasFocus = async (page: Page, name: string): Promise<void> =>
  await expect
    .poll(() => page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent"))
    .toContain(name);

/** Returns the COCO document that the browser saves. */
const cocoSavedBy = async (page: Page): Promise<CocoDocument> =>
  JSON.parse(
    await savedBy(page, async () => await page.getByRole("button", { name: "Download COCO" }).click()),
  );

/** Renames an object of the open picture, and returns the classes of the picture's export. */
async function categoriesOnceRenamed(page: Page, object: string, name: string): Promise<string[]> {
  await page.getByRole("button", { name: `Change ${object}` }).click();
  await page.getByRole("menuitem", { name: "Rename…" }).click();
  await page.getByRole("combobox", { name: "Name" }).fill(name);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Export" }).click();
  const { categories } = await cocoSavedBy(page);
  await page.keyboard.press("Escape");
  return categories.map((category) => category.name);
}

/**
 * Somebody without an account sees the batch on the page by its link, with its pictures and downloads and nothing else, until
 * it is revoked.
 */
async function isShared(page: Page): Promise<void> {
  const press = (name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
  await press("Share a link");
  await page.getByLabel("Ends after").selectOption("1 day");
  expect(await findingsOn(page)).toEqual([]);
  await press("Create link");
  const link = (await page.getByLabel("Link", { exact: true }).textContent()) ?? "";
  expect(await furtherFindingsOn(page)).toEqual([]);

  const asked: string[] = [];
  const { page: theirs, context, complaints } = await openPage("about:blank", { acceptDownloads: true });
  context.on("request", (request) => asked.push(`${request.url()} ${request.headers()["referer"] ?? ""}`));
  await theirs.goto(link);
  const gallery = theirs.getByRole("region", { name: "Pictures", exact: true });
  await gallery.getByText("cat 1").waitFor();
  await theirs.getByText("the link ends tomorrow").waitFor();
  expect(await findingsOn(theirs)).toEqual([]);
  await gallery.getByRole("button", { name: "Picture 2" }).click();
  await theirs.getByRole("button", { name: "cup 1" }).waitFor();
  await theirs.getByText("doesn’t show the picture").waitFor({ state: "detached" });
  // The strip also shows unopened pictures.
  const strip = theirs.getByRole("navigation", { name: "Pictures" });
  await strip
    .getByRole("button", { name: /^Picture 1/ })
    .locator("img")
    .waitFor();
  expect(await furtherFindingsOn(theirs)).toEqual([]);
  for (const name of ["Segment", "Share a link", "Sign out", "Change cup 1", "Open file"])
    expect(await theirs.getByRole("button", { name }).count(), name).toBe(0);
  await theirs.getByRole("button", { name: "Export" }).click();
  // Cut-outs are made of the picture itself, which the link shows.
  const [cutOuts] = await Promise.all([
    theirs.waitForEvent("download"),
    theirs.getByRole("button", { name: "Download Cut-outs" }).click(),
  ]);
  expect(cutOuts.suggestedFilename()).toContain("cutout");
  expect(await furtherFindingsOn(theirs)).toEqual([]);
  const [, token = "the link has no token"] = link.split("#");
  expect(asked.filter((request) => request.includes(token))).toEqual([]);
  expect(asked.filter((request) => !request.endsWith(" "))).toEqual([]);
  expect(complaints).toEqual([]);

  await press("Revoke link");
  await page.getByRole("button", { name: "Create link" }).waitFor();
  await theirs.reload();
  await theirs.getByRole("heading", { name: "This link has ended" }).waitFor();
  expect(await findingsOn(theirs)).toEqual([]);

  // If the person wants it, a link shows what people have changed.
  await page.getByLabel("Show what people changed, too").check();
  await press("Create link");
  const another = (await page.getByLabel("Link", { exact: true }).textContent()) ?? "";
  await theirs.goto(another);
  await gallery.getByText("tabby 1").waitFor();
  await gallery.getByRole("button", { name: "the cat's.png" }).waitFor();
  // All links of the account are in one list, and end there, too.
  await press("Done");
  await page.getByRole("link", { name: "Jobs", exact: true }).click();
  await page.getByRole("link", { name: "Shared links" }).click();
  const row = page.getByRole("row").filter({ hasText: PROMPTS.join(", ") });
  await row.getByText("3 pictures, with the originals, with changes").waitFor();
  await row.getByText("tomorrow").waitFor();
  expect(await furtherFindingsOn(page)).toEqual([]);
  await press(`Revoke the link to ${PROMPTS.join(", ")}`);
  expect(await furtherFindingsOn(page)).toEqual([]);
  await press("Revoke link");
  await page.getByRole("heading", { name: "No shared links" }).waitFor();
  expect(await furtherFindingsOn(page)).toEqual([]);
  await theirs.reload();
  await theirs.getByRole("heading", { name: "This link has ended" }).waitFor();
}

/** Counts the masks of a job by prompt. */
const found = ({ masks }: ImageResult): string[] => masks.map(({ prompt }) => prompt ?? "").toSorted();

describe("a job's downloads in the studio", () => {
  let stack: SharedStack;
  let client: SegmentationClient;
  let folder: string;
  beforeAll(async () => {
    stack = await useSharedStack();
    client = new SegmentationClient(stack);
    folder = await mkdtemp(join(tmpdir(), "export-"));
    for (const [name, content] of FILES) await writeFile(join(folder, name), content);
  });
  afterAll(async () => {
    await closeBrowser();
    await rm(folder, { recursive: true });
  });

  /** The pictures' result of a job. */
  async function resultOf(jobId: string): Promise<ImageResult> {
    const result = await client.result(jobId);
    if (!(result instanceof ImageResult)) throw new TypeError("The job is none of pictures.");
    return result;
  }

  it.runIf(isLong)(
    "a batch is a gallery; COCO is the client library's; the code makes the same job again; a link shows it to others until it is revoked [A23-15]",
    async () => {
      const { page } = await openStudio(stack, "/studio", { acceptDownloads: true });
      await page
        .locator("input[type=file]")
        .first()
        .setInputFiles(FILES.map(([name]) => join(folder, name)));
      for (const prompt of PROMPTS) {
        await page.getByLabel("Prompts").fill(prompt);
        await page.keyboard.press("Enter");
      }
      // Tab stops at the open picture of the strip alone.
      expect(await page.locator("nav [aria-label^='Remove']:not([tabindex='-1'])").count()).toBe(1);
      await page.getByRole("button", { name: "Segment", exact: true }).click();

      const gallery = page.getByRole("region", { name: "Pictures", exact: true });
      await gallery
        .getByText("The PNG file is cut short: its end is missing. Upload the whole file.")
        .waitFor();
      await gallery.getByText("cat 1").waitFor();
      await gallery.getByText("Failed 1").click();
      expect(await gallery.getByRole("listitem").count()).toBe(1);
      await gallery.getByText("All 3").click();
      await gallery.getByRole("button", { name: "the cat's.png" }).focus();
      await page.keyboard.press("ArrowRight");
      expect(await page.evaluate("document.activeElement.textContent")).toContain("coffee.png");
      expect(await findingsOn(page)).toEqual([]);
      // The open picture is in the URL: the browser's back leads to the others.
      await page.keyboard.press("Enter");
      await page.waitForURL(/[?&]picture=/);
      await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
      await hasFocus(page, "coffee.png");
      await page.goBack();
      await gallery.getByText("cat 1").waitFor();
      await hasFocus(page, "coffee.png");

      const [job] = (await client.api.listJobs()).items;
      const jobId = job?.jobId ?? "";
      const result = await resultOf(jobId);
      await page.getByRole("button", { name: "Export" }).click();
      const taken = await cocoSavedBy(page);
      const expected = await result.coco();
      const names = new Map(result.pictures.map(({ taskId }, i) => [taskId, FILES[i]?.[0]]));
      expect(taken).toEqual({
        ...expected,
        images: expected.images.map((image) => ({ ...image, file_name: names.get(image.file_name) })),
      });
      const [cutOuts] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download Cut-outs" }).click(),
      ]);
      expect(cutOuts.suggestedFilename()).toBe(`${jobId}-cutout.zip`);
      // Files are called as people called the pictures and the objects.
      const files = unzipSync(new Uint8Array(await readFile(await cutOuts.path())));
      expect(Object.keys(files).toSorted()).toEqual([
        "cutouts/coffee/cup-1.png",
        "cutouts/the cat's/cat-1.png",
      ]);
      expect(await findingsOn(page)).toEqual([]);

      // Everything on the screen, in all formats that need no other run.
      const [everything] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download ZIP" }).click(),
      ]);
      const all = unzipSync(new Uint8Array(await readFile(await everything.path())));
      expect(Object.keys(all).toSorted()).toEqual([
        "annotations.json",
        "cutouts/coffee/cup-1.png",
        "cutouts/the cat's/cat-1.png",
        "data.yaml",
        "labelmaps/coffee.png",
        "labelmaps/legend.json",
        "labelmaps/the cat's.png",
        "labels/coffee.txt",
        "labels/the cat's.txt",
        "masks/coffee/cup-1.png",
        "masks/the cat's/cat-1.png",
        "preview/coffee.png",
        "preview/the cat's.png",
        "semantic/coffee.png",
        "semantic/legend.json",
        "semantic/the cat's.png",
        "svg/coffee.svg",
        "svg/the cat's.svg",
        "voc/coffee.xml",
        "voc/the cat's.xml",
      ]);
      expect(new TextDecoder().decode(all["data.yaml"])).toContain('0: "cat"\n  1: "cup"\n');
      expect(new TextDecoder().decode(all["labels/coffee.txt"])).toMatch(/^1 0\.\d+ /);

      await page.getByRole("tab", { name: "Code" }).click();
      const code = await page.getByLabel("Code sample").innerText();
      expect(await furtherFindingsOn(page)).toEqual([]);
      expect(code).not.toContain(stack.apiKey);
      const { stdout } = await promisify(execFile)("bash", ["-c", code], {
        cwd: folder,
        env: { ...process.env, SEGMENTATION_API_KEY: stack.apiKey },
      });
      const again = await resultOf(stdout.trim());
      expect(again.jobId).not.toBe(jobId);
      expect(found(again)).toEqual(found(result));
      expect(await readdir(join(folder, "out", "masks"))).toHaveLength(2);

      // A review by keys: accepted pictures are exported alone.
      await page.keyboard.press("Escape");
      await gallery.getByRole("button", { name: "the cat's.png" }).click();
      await page.getByText("0 of 3 reviewed").waitFor();
      await page.keyboard.press("x");
      await page.getByText("1 of 3 reviewed").waitFor();
      await hasFocus(page, "coffee.png");
      expect(await furtherFindingsOn(page)).toEqual([]);
      await page.getByRole("button", { name: "Previous" }).click();
      await page.getByLabel("Note on the cat's.png").fill("blurred");
      await page.getByRole("button", { name: "Next" }).click();
      await page.keyboard.press("a");
      await gallery.getByText("Accepted 1").click();
      expect(await gallery.getByRole("listitem").count()).toBe(1);
      await gallery.getByText("All 3").click();
      await gallery.getByRole("combobox").last().selectOption("cat");
      await gallery.getByRole("button", { name: "coffee.png" }).waitFor({ state: "detached" });
      await gallery.getByRole("button", { name: "the cat's.png" }).waitFor();
      expect(await furtherFindingsOn(page)).toEqual([]);
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByText("1 accepted").click();
      const accepted = await cocoSavedBy(page);
      expect(accepted.images.map(({ file_name }) => file_name)).toEqual(["coffee.png"]);
      await page.keyboard.press("Escape");

      // Objects that the slider hides are not exported, in any picture, even after a reload.
      await page.getByLabel("Lowest confidence to show").fill("1");
      await page.reload();
      await page.getByText("100%, 0 of 2").waitFor();
      await gallery.getByText("All 3").waitFor();
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByLabel("Exclude the rejected picture").uncheck();
      const excludes = page.getByLabel("Exclude the 2 hidden objects");
      expect(await excludes.isChecked()).toBe(true);
      const shown = await cocoSavedBy(page);
      expect([shown.images.length, shown.annotations.length]).toEqual([2, 0]);
      await excludes.uncheck();
      expect((await cocoSavedBy(page)).annotations).toHaveLength(2);
      await page.keyboard.press("Escape");
      await page.getByLabel("Lowest confidence to show").fill("0");

      // A class keeps its number when others are added, even after a reload.
      await gallery.getByRole("button", { name: "coffee.png" }).click();
      expect(await categoriesOnceRenamed(page, "cup 1", "mug")).toEqual([...PROMPTS, "mug"]);
      await page.reload();
      const strip = page.getByRole("navigation", { name: "Pictures" });
      await strip.getByRole("button", { name: /^the cat's/ }).click();
      expect(await page.getByLabel("Note on the cat's.png").inputValue()).toBe("blurred");
      expect(await categoriesOnceRenamed(page, "cat 1", "tabby")).toEqual([...PROMPTS, "mug", "tabby"]);
      await isShared(page);
    },
  );
});
