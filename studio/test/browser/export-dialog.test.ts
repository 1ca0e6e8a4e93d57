import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sample } from "../../../test/support/media/sample.ts";
import { closeBrowser, findingsOn } from "../../../test/support/browser/studio.ts";
import { downloaded, type DrawnPicture, openExportOf } from "../support/export-page.ts";
import { type ServedPage, servePage } from "../support/serve-page.ts";

const coffee = { name: "coffee.png", file: sample("coffee"), width: 600, height: 400 };
const ENTRY: readonly DrawnPicture[] = [
  {
    ...coffee,
    objects: [
      { label: "cup", ellipse: [300, 200, 150, 100] },
      { label: "spoon", isShown: false, ellipse: [450, 250, 60, 20] },
    ],
  },
  {
    ...coffee,
    name: "second.png",
    verdict: "accepted",
    objects: [{ label: null, ellipse: [200, 200, 80, 80] }],
  },
  {
    ...coffee,
    name: "third.png",
    objects: [
      { label: null, ellipse: [100, 100, 40, 40] },
      { label: "cup", isShown: false, ellipse: [400, 100, 40, 40] },
    ],
  },
];

/** Evaluates to the size of the clipboard's PNG, and to the opacity of its corner and of its middle. */
const OPACITIES_IN_CLIPBOARD = `(async () => {
  const [item] = await navigator.clipboard.read();
  if (!item.types.includes("image/png")) return null;
  const bitmap = await createImageBitmap(await item.getType("image/png"));
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const opacityAt = (x, y) => context.getImageData(x, y, 1, 1).data[3];
  return { width, height, corner: opacityAt(0, 0), middle: opacityAt(width / 2, height / 2) };
})()`;

describe("the export dialog", () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
  });
  afterAll(async () => {
    await closeBrowser();
    await served.close();
  });

  it("counts the hidden objects of the chosen pictures, and leaves them out unless a person wants them", async () => {
    const { page } = await openExportOf(served, ENTRY, { open: "second.png" });
    // The open picture has none.
    expect(await page.getByLabel(/^Exclude/).count()).toBe(0);
    await page.getByText("All 3 pictures").click();
    const excludes = page.getByLabel("Exclude the 2 hidden objects");
    expect(await excludes.isChecked()).toBe(true);
    expect(Object.keys(await downloaded(page, "Download Masks"))).toHaveLength(3);
    await excludes.uncheck();
    expect(Object.keys(await downloaded(page, "Download Masks"))).toHaveLength(5);
  });

  it("leaves rejected pictures out, unless a person wants them or opens one", async () => {
    const entry = ENTRY.map((picture) =>
      picture.name === "third.png" ? { ...picture, verdict: "rejected" as const } : picture,
    );
    const { page } = await openExportOf(served, entry, { open: "third.png" });
    expect(Object.keys(await downloaded(page, "Download Masks"))).toHaveLength(1);
    await page.getByText("All 2 pictures").click();
    expect(Object.keys(await downloaded(page, "Download Masks"))).toEqual([
      "masks/coffee/cup-1.png",
      "masks/second/object-1.png",
    ]);
    await page.getByLabel("Exclude the rejected picture").uncheck();
    await page.getByText("All 3 pictures").waitFor();
    expect(Object.keys(await downloaded(page, "Download Masks"))).toHaveLength(3);
  });

  it("asks for missing classes before anything with classes can be downloaded", async () => {
    const { page, complaints } = await openExportOf(served, ENTRY);
    expect(await page.getByRole("button", { name: "Download COCO" }).count()).toBe(0);
    const unnamed = page.getByRole("form", { name: "Objects without a class" });
    await unnamed.getByText("2 objects without a class").waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await unnamed.getByLabel("Class of all").fill("Cup");
    await unnamed.getByText("Name each").click();
    await unnamed.getByLabel("Class of object-1 in third.png").fill("saucer");
    await unnamed.getByRole("button", { name: "Name them" }).click();
    await unnamed.waitFor({ state: "detached" });
    const files = await downloaded(page, "Download COCO");
    const document = JSON.parse(new TextDecoder().decode(files["annotations.json"]));
    expect(document.categories.map(({ name }: { name: string }) => name)).toEqual(["cup", "spoon", "saucer"]);
    expect(document.annotations.map((each: { category_id: number }) => each.category_id)).toEqual([1, 1, 3]);
    expect(complaints).toEqual([]);
  });

  it("copies a cut-out to the clipboard as a PNG with a transparent background", async () => {
    const { page } = await openExportOf(served, ENTRY, {
      open: "coffee.png",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await expect
      .poll(() => page.evaluate(OPACITIES_IN_CLIPBOARD))
      .toEqual({ width: 300, height: 200, corner: 0, middle: 255 });
  });
});
