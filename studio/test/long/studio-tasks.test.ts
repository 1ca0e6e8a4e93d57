/**
 * Three people's tasks in the studio, by as few clicks as it takes: a data set on which YOLO trains, cut-outs, and an object in a
 * video.
 */
import { readFile } from "node:fs/promises";
import { unzipSync } from "fflate";
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { give, segment } from "../../../test/support/browser/studio-work.ts";
import { closeBrowser, furtherFindingsOn, openStudio } from "../../../test/support/browser/studio.ts";
import { panClip } from "../../../test/support/media/pan-clip.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import { printedBy, trainingTools } from "../support/training-tools.ts";

const SAMPLES = ["coffee", "chelsea", "astronaut"] as const;

/** Files of photos, by turns. */
const photos = async (count: number) =>
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const sample = SAMPLES[i % SAMPLES.length] ?? "coffee";
      const name = `${sample} ${i}.png`;
      return { name, mimeType: "image/png", buffer: await readFile(`samples/${sample}.png`) };
    }),
  );

/** Counts a person's clicks, and the units of the jobs that they ask for. */
class Count {
  clicks = 0;
  units = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
    page.on("request", (request) => {
      if (request.method() !== "POST" || !request.url().endsWith("/v1/jobs")) return;
      const { type, tasks } = request.postDataJSON();
      // The video has two processed frames.
      this.units += type === "video" ? 2 : tasks.length;
    });
  }

  async click(what: Locator): Promise<void> {
    this.clicks += 1;
    await what.click();
  }

  /** Clicks the control that saves a file. */
  async save(name: string): Promise<Buffer> {
    const button = this.#page.getByRole("button", { name, exact: true });
    const [download] = await Promise.all([this.#page.waitForEvent("download"), this.click(button)]);
    return await readFile(await download.path());
  }

  /** Opens a control of the page by its name. */
  async press(name: string | RegExp): Promise<void> {
    await this.click(this.#page.getByRole("button", { name }));
  }
}

describe("in the studio", () => {
  let stack: SharedStack;
  beforeAll(async () => {
    stack = await useSharedStack();
  });
  afterAll(closeBrowser);

  const open = async () => {
    const { page, complaints } = await openStudio(stack, "/studio", { acceptDownloads: true });
    return { page, complaints, count: new Count(page) };
  };

  it("a data engineer makes a YOLO set of 30 photos, with one class added later", async () => {
    const { page, complaints, count } = await open();
    await give(page, await photos(30));
    await page.getByLabel("Prompts").fill("cup, cat,");
    await count.click(segment(page));
    await page.getByRole("button", { name: "Export" }).waitFor();
    await count.press("Change prompts");
    await page.getByLabel("Prompts").fill("person,");
    await count.press("Add person");
    await page.getByText("cup, cat, person").waitFor();
    await page.getByRole("button", { name: "Export" }).waitFor();
    await count.click(page.getByLabel("Least sure first"));
    await count.press(/^Accept \d+$/);
    await page.getByText(/^Accepted \d+$/).waitFor();
    expect(await furtherFindingsOn(page)).toEqual([]);

    await count.press("Export");
    await count.click(page.getByLabel("With the pictures"));
    await count.click(page.getByLabel("Split into train and val"));
    const files = unzipSync(new Uint8Array(await count.save("Download YOLO")));
    const texts = Object.entries(files).filter(([path]) => path.startsWith("labels/"));
    expect(texts).toHaveLength(30);
    const numbers = texts.flatMap(([, content]) =>
      new TextDecoder()
        .decode(content)
        .split("\n")
        .flatMap((line) => line.split(" ")[0] || []),
    );
    expect([...new Set(numbers)].toSorted()).toEqual(["0", "1", "2"]);
    expect(new TextDecoder().decode(files["data.yaml"])).toContain('0: "cup"\n  1: "cat"\n  2: "person"\n');
    console.log(`30 photos: ${count.clicks} clicks, ${count.units} units.`);
    expect([count.clicks, count.units]).toEqual([9, 60]);
    expect(complaints).toEqual([]);

    const programs = await trainingTools().catch((error: unknown) =>
      console.warn(`The set was not trained on, because PyPI could not be reached: ${String(error)}`),
    );
    if (programs === undefined) return;
    const found = JSON.parse(await printedBy("train_yolo.py", programs, files));
    expect(found.names).toEqual(["cup", "cat", "person"]);
    expect(found.trained + found.validated).toBe(30);
    expect(found.objects + found.validated_objects).toBe(numbers.length);
  });

  it("a designer makes ten cut-outs on a colored page", async () => {
    const { page, complaints, count } = await open();
    await give(page, await photos(10));
    await page.getByLabel("Prompts").fill("cup, cat, person,");
    await count.click(segment(page));
    await page.getByRole("button", { name: "Export" }).waitFor();
    await count.press("Export");
    await count.click(page.getByLabel("Background", { exact: true }));
    await page.getByLabel("Background color").fill("#3366cc");
    await page.getByRole("img", { name: /^Cut-out of/ }).waitFor();
    expect(await furtherFindingsOn(page)).toEqual([]);
    const files = unzipSync(new Uint8Array(await count.save("Download Cut-outs")));
    const names = Object.keys(files);
    expect(new Set(names.map((name) => name.split("/")[1])).size).toBe(10);
    const { data } = await sharp(files[names[0] ?? ""])
      .raw()
      .toBuffer({ resolveWithObject: true });
    // The corner is behind the object.
    expect([...data.subarray(0, 4)]).toEqual([0x33, 0x66, 0xcc, 255]);
    console.log(`Ten cut-outs: ${count.clicks} clicks, ${count.units} units.`);
    expect([count.clicks, count.units]).toEqual([4, 10]);
    expect(complaints).toEqual([]);
  });

  it("a video editor has an object tracked, sees a frame first, and takes COCO and mattes", async () => {
    const { page, complaints, count } = await open();
    await give(page, [{ name: "cat.mp4", mimeType: "video/mp4", buffer: Buffer.from(panClip(1)) }]);
    await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
    await page.getByText("Frame 1 of about 2").waitFor();
    const frame = await page.locator(".viewer-canvas").boundingBox();
    if (frame === null) throw new Error("The studio shows no video.");
    count.clicks += 1;
    await page.mouse.click(frame.x + frame.width / 2, frame.y + frame.height / 2);
    await page.getByRole("listitem").filter({ hasText: "Object 1" }).waitFor();
    await count.press("Try this frame, 1 unit");
    await page.getByText(/^Found: Object 1/).waitFor();
    await count.press("Close");
    await count.click(segment(page));
    await page.getByText("2 frames, 0:00.0–0:00.5").waitFor();
    await count.press("Export");
    await page.getByRole("form", { name: "Objects without a class" }).getByLabel("Class").fill("cat");
    await count.press("Name it");
    const coco = JSON.parse((await count.save("Download COCO")).toString("utf8"));
    expect(coco.annotations).toHaveLength(2);
    expect(coco.categories).toEqual([{ id: 1, name: "cat" }]);
    const mattes = unzipSync(new Uint8Array(await count.save("Download Luma mattes")));
    expect(Object.keys(mattes)).toHaveLength(4);
    expect(await furtherFindingsOn(page)).toEqual([]);
    console.log(`A video: ${count.clicks} clicks, ${count.units} units.`);
    expect([count.clicks, count.units]).toEqual([8, 3]);
    expect(complaints).toEqual([]);
  });
});
