import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { placeOfSample } from "../../../scripts/shared/studio-sample.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import {
  BROKEN_PNG,
  COFFEE,
  give,
  instance,
  keptInstance,
  segment,
} from "../../../test/support/browser/studio-work.ts";
import {
  closeBrowser,
  findingsOn,
  newEmail,
  handleRequests,
  openPage,
  openStudio,
  signInAs,
  furtherFindingsOn,
} from "../../../test/support/browser/studio.ts";

async function ask(page: Page, prompts: string): Promise<void> {
  await page.getByLabel("Prompts").fill(`${prompts},`);
  await segment(page).click();
}

/** Returns the position of a pixel of the coffee picture on the page, as long as all of the picture is seen. */
async function placeOf(page: Page): Promise<(x: number, y: number) => [number, number]> {
  await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
  const place = await placeOfSample(page);
  return (x, y) => [place.x + x * place.scale, place.y + y * place.scale];
}

describe("the workbench", () => {
  let stack: SharedStack;
  beforeAll(async () => {
    stack = await useSharedStack();
  });
  afterAll(closeBrowser);

  it("finds the prompted objects in the sample picture, filters at once, and is the same after a reload", async () => {
    const { page, complaints } = await openStudio(stack);
    expect(await findingsOn(page)).toEqual([]);
    await page.getByText("Try this sample").click();
    await segment(page).click();
    await instance(page, "cup 1").waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/studio\/jobs\/job_/);
    // It is the same screen as before.
    expect(await page.locator("[aria-current=page]").textContent()).toBe("Segment");
    expect(await findingsOn(page)).toEqual([]);

    // At first all that was found is seen: the slider is where the masks begin.
    const slider = page.getByLabel("Lowest confidence to show");
    const begin = await slider.inputValue();
    expect(await slider.getAttribute("min")).toBe(begin);
    await slider.fill("1");
    await instance(page, "cup 1").waitFor({ state: "detached" });
    await slider.fill(begin);
    await instance(page, "cup 1").click();
    expect(await instance(page, "cup 1").getAttribute("aria-pressed")).toBe("false");

    // A repeated search costs again, so the studio asks for confirmation.
    await page.getByRole("button", { name: "Change prompts" }).click();
    await page.getByRole("button", { name: "Run again, 1 unit" }).click();
    await page.getByRole("dialog", { name: "Run it again?" }).waitFor();
    expect(await furtherFindingsOn(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancel" }).click();

    await page.reload();
    await instance(page, "spoon 1").waitFor();
    await page.getByRole("toolbar", { name: "Pointer" }).waitFor();

    // Another threshold is another search.
    await page.getByRole("button", { name: "Change prompts" }).click();
    await page.getByLabel("Lowest confidence to find").fill("0.9");
    await segment(page).click();
    await page.getByText("None in this picture: spoon.").waitFor();
    await instance(page, "cup 1").waitFor();
    expect(complaints).toEqual([]);
  });

  it.runIf(isLong)(
    "draws the clicked saucer and the boxed bowl of the spoon, before any prompt, and undoes both",
    async () => {
      const { page } = await openStudio(stack);
      await give(page, COFFEE);
      const at = await placeOf(page);
      await page.mouse.click(...at(430, 330));
      await instance(page, "Object 1").waitFor();
      await page.mouse.move(...at(325, 245));
      await page.mouse.down();
      await page.mouse.move(...at(370, 300));
      await page.mouse.move(...at(408, 336));
      await page.mouse.up();
      await keptInstance(page, "Object 2");
      // The second object adds to the job of the first.
      await page.waitForURL(/\/jobs\/job_[^?]+$/);

      await page.reload();
      await instance(page, "Object 2").waitFor();
      await page.getByRole("button", { name: "Add prompts" }).waitFor();
      await page.getByRole("button", { name: "Undo" }).click();
      await instance(page, "Object 2").waitFor({ state: "detached" });
      expect(await instance(page, "Object 1").count()).toBe(1);
      // Its job is deleted, so redo is another one, and says so.
      await page.getByText("The unit stays spent").waitFor();
      await page.getByRole("button", { name: /^Redo/ }).click();
      await keptInstance(page, "Object 2");
      await page.keyboard.press("Control+z");
      await instance(page, "Object 2").waitFor({ state: "detached" });

      // A stroke next to the only object is for it.
      const jobs: string[] = [];
      page.on("request", (request) => {
        if (request.method() === "POST" && request.url().endsWith("/v1/jobs")) jobs.push(request.url());
      });
      await page.keyboard.press("d");
      await page.mouse.move(...at(60, 40));
      await page.mouse.down();
      await page.mouse.move(...at(160, 40), { steps: 3 });
      await page.mouse.up();
      await page.getByText(/^Changes Object 1\./).waitFor();
      await page.keyboard.press("Control+z");
      await page.keyboard.press("p");

      // A click on a mask selects its object: once more it is not selected, and Delete deletes it.
      await page.mouse.click(...at(430, 330));
      await page.mouse.click(...at(430, 330));
      await page.getByText(/^Object 1 is selected\./).waitFor();
      await page.keyboard.press("Delete");
      await instance(page, "Object 1").waitFor({ state: "detached" });
      await page.keyboard.press("Control+z");
      await instance(page, "Object 1").waitFor();
      expect(jobs).toEqual([]);
    },
  );

  it.runIf(isLong)("on a touch screen takes a tap for a point, without any tool being chosen", async () => {
    const { page } = await openStudio(stack, "/studio", {
      hasTouch: true,
      isMobile: true,
      viewport: { width: 390, height: 800 },
    });
    await give(page, COFFEE);
    const at = await placeOf(page);
    await page.getByText(/^Tap an object/).waitFor();
    expect(await page.getByRole("button", { name: "Keys" }).count()).toBe(0);
    expect(await findingsOn(page)).toEqual([]);
    await page.touchscreen.tap(...at(430, 330));
    await instance(page, "Object 1").waitFor();
    await page.getByText("“Keep” keeps all that is new for 1 unit").waitFor();
    await page.touchscreen.tap(...at(40, 30));
    await page.getByRole("button", { name: "Keep 1, 1 unit" }).tap();
    await instance(page, "Object 2").waitFor();
  });

  it.runIf(isLong)(
    "marks a word that the model may not know, offers those that it knows, and names what could not be searched for",
    async () => {
      const { page } = await openStudio(stack);
      await give(page, COFFEE);
      await page.getByLabel("Prompts").fill("zeppelin, cu");
      await page.getByText(/zeppelin: not among the model’s \d+ words/).waitFor();
      await page.getByLabel("Prompts").fill("");
      await page.keyboard.press("ArrowDown");
      await page.getByRole("option").nth(70).waitFor();
      expect(await furtherFindingsOn(page)).toEqual([]);
      await page.getByLabel("Prompts").fill("cu");
      await page.getByRole("option", { name: "cup", exact: true }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Enter");
      await page.getByText("Some words aren’t in the model’s vocabulary").waitFor();
      await instance(page, "cup 1").waitFor();
      // The focus stays where the form was.
      await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Change prompts");
      // The list says the same.
      await page.getByText("Not looked for, because the model doesn’t know it: zeppelin.").waitFor();
      await page.getByRole("button", { name: "Dismiss" }).click();
      await page.getByText("Some words aren’t in the model’s vocabulary").waitFor({ state: "detached" });
    },
  );

  it.runIf(isLong)(
    "takes the pictures of a folder that is dropped, and of those in it, by their names",
    async () => {
      const { page } = await openStudio(stack);
      await page.getByRole("button", { name: "Choose a folder" }).waitFor();
      await page.evaluate(
        async (url) => {
          const picture = await (await fetch(url)).blob();
          const file = (name: string) => ({
            name,
            isFile: true,
            file: (take: (each: File) => void) => take(new File([picture], name, { type: "image/png" })),
          });
          const folder = (name: string, all: readonly object[]) => ({
            name,
            isDirectory: true,
            createReader: () => {
              const parts = [all.slice(0, 2), all.slice(2), []];
              return { readEntries: (take: (part: readonly object[]) => void) => take(parts.shift() ?? []) };
            },
          });
          const tree = folder("photos", [
            file("b10.png"),
            file(".DS_Store"),
            folder("more", [file("c.png")]),
            file("b9.png"),
          ]);
          const drop = new Event("drop", { bubbles: true, cancelable: true });
          const dataTransfer = { files: [new File([], "photos")], items: [{ webkitGetAsEntry: () => tree }] };
          dispatchEvent(Object.assign(drop, { dataTransfer }));
        },
        new URL((await page.locator(".empty-sample img").getAttribute("src")) ?? "", page.url()).href,
      );
      const strip = page.getByRole("navigation", { name: "Pictures" });
      await expect
        .poll(() =>
          strip.locator(".strip-picture").evaluateAll((all) => all.map((each) => each.getAttribute("title"))),
        )
        .toEqual(["b9.png", "b10.png", "c.png"]);
    },
  );

  it("refuses a file that is no picture in place, and explains a damaged one", async () => {
    const { page } = await openStudio(stack);
    await give(page, { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("cup") });
    await page.getByText("notes.txt: file not supported.").waitFor();
    const cut = (await readFile(COFFEE)).subarray(0, 20_000);
    await give(page, { name: "cut.png", mimeType: "image/png", buffer: cut });
    await page.getByText("This browser can’t show the file").waitFor();
    await ask(page, "cup");
    await page.getByText("The PNG file is cut short").waitFor();
  });

  it.runIf(isLong)(
    "refuses a picture with more pixels than the service takes before it is sent",
    async () => {
      const { page } = await openStudio(stack);
      await page.route("**/studio/config.json", async (route) => {
        const response = await route.fetch();
        const config: object = await response.json();
        await route.fulfill({ response, json: { ...config, maxImagePixels: 100_000 } });
      });
      await page.reload();
      await give(page, COFFEE);
      const sent: string[] = [];
      page.on("request", (request) => sent.push(request.url()));
      await ask(page, "cup");
      await page.getByText("It has 600 × 400 pixels; the limit is 0.1 megapixels.").waitFor();
      expect(sent.filter((url) => /presign|inputs/.test(url))).toEqual([]);
    },
  );

  it("explains the trial's limits before sending", async () => {
    const { page } = await openPage(`${stack.baseUrl}/studio`);
    await signInAs(page, newEmail());
    await page.getByText("one per picture, up to 3 pictures per job, no videos").waitFor();
    await give(page, "samples/people-crossing.mp4");
    await page.getByText(/^About \d+ frames = \d+ units/).waitFor();
    await page.getByText("Videos require the paid plan").waitFor();
    await page.getByRole("button", { name: "New pictures or video" }).click();
    const four = ["1.png", "2.png", "3.png", "4.png"];
    await give(
      page,
      four.map((name) => ({ name, mimeType: "image/png", buffer: BROKEN_PNG })),
    );
    await page.getByText("At most 3 pictures per job").waitFor();
    await page.getByRole("button", { name: "Do the first 3 now" }).click();
    await page.getByText("4.png: the next job takes them").waitFor();
    await page.getByRole("button", { name: "Put them back" }).click();
    await page.getByRole("button", { name: "Do the first 3 now" }).click();
    await page.reload();
    await page.getByText("4.png: the next job takes them").waitFor();
    await page.getByText("3 units of the 100 left in your trial.").waitFor();
    await ask(page, "cup");
    // The job changes at the same moment.
    const pressBoth = (): boolean => {
      const labels = [/^Continue with the other picture/, /2\.png/];
      const all = [...document.querySelectorAll("button")];
      const pressed = labels.flatMap((label) => all.find(({ innerText }) => label.test(innerText)) ?? []);
      if (pressed.length === labels.length) for (const button of pressed) button.click();
      return pressed.length === labels.length;
    };
    await expect.poll(() => page.evaluate(pressBoth)).toBe(true);
    await expect.poll(() => page.title()).toContain("4.png");
    expect(new URL(page.url()).pathname).toBe("/studio");
  });

  it.runIf(isLong)("waits for the network, continues by itself, and loses no input", async () => {
    const { page, context } = await openStudio(stack);
    await give(page, COFFEE);
    await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
    await context.setOffline(true);
    await ask(page, "cup");
    await page.getByText("Waiting for the network. Work resumes automatically.").waitFor();
    await context.setOffline(false);
    await instance(page, "cup 1").waitFor();
  });

  it.runIf(isLong)(
    "keeps unfinished work after a reload during an upload, and its prompts after a reload during a job",
    async () => {
      const { page } = await openStudio(stack);
      // The storage never answers: the upload is under way for as long as the test likes.
      const release = await handleRequests(page, /\/inputs\//, async () => {});
      await give(page, COFFEE);
      await ask(page, "cup");
      await page.getByText(/^Uploading the picture/).waitFor();
      page.once("dialog", (dialog) => void dialog.accept());
      await page.reload();
      await page.getByText("The upload was interrupted").waitFor();

      release();
      await segment(page).click();
      await page.waitForURL(/\/jobs\//);
      await page.reload();
      // A job that has ended meanwhile folds its prompts.
      const folded = page.getByRole("button", { name: "Change prompts" });
      await page.getByRole("button", { name: "Remove cup" }).or(folded).waitFor();
      await instance(page, "cup 1").waitFor();
      await page.getByTitle("cup", { exact: true }).waitFor();
    },
  );
});
