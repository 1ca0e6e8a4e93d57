import type { Page } from "playwright-core";
import { SegmentationClient } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { placeOfSample } from "../../../scripts/shared/studio-sample.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import {
  begin,
  BROKEN_PNG,
  instance,
  keptInstance,
  segment,
} from "../../../test/support/browser/studio-work.ts";
import {
  closeBrowser,
  findingsOn,
  openStudio,
  furtherFindingsOn,
} from "../../../test/support/browser/studio.ts";

/** Points at the sample: a click, or a box from corner to corner. */
async function pointAt(
  page: Page,
  from: readonly [number, number],
  to?: readonly [number, number],
): Promise<void> {
  const { x, y, scale } = await placeOfSample(page);
  if (to === undefined) return await page.mouse.click(x + from[0] * scale, y + from[1] * scale);
  await page.mouse.move(x + from[0] * scale, y + from[1] * scale);
  await page.mouse.down();
  await page.mouse.move(x + to[0] * scale, y + to[1] * scale, { steps: 3 });
  await page.mouse.up();
}

/** The row of the only job in the list. */
async function onlyRow(page: Page): Promise<ReturnType<Page["getByRole"]>> {
  await page.getByRole("link", { name: "Jobs", exact: true }).click();
  await page.getByText("1 job", { exact: true }).waitFor();
  return page.getByRole("row");
}

/** Words that are typed in the very frame in which their field comes: before the page's own effects have run. */
const typeOnceThere = (page: Page, label: string, words: string): Promise<void> =>
  page.evaluate(`
    new MutationObserver((_, observer) => {
      const field = document.querySelector(${JSON.stringify(`input[aria-label="${label}"]`)});
      if (field === null) return;
      observer.disconnect();
      field.value = ${JSON.stringify(words)};
      field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true });`);

const seen = ["cup 1", "spoon 1", "Object 1", "Object 2"];
const waitForAll = async (page: Page, names: readonly string[] = seen): Promise<void> => {
  for (const name of names) await instance(page, name).waitFor();
};

describe("a picture in the list of jobs", () => {
  let stack: SharedStack;
  beforeAll(async () => {
    stack = await useSharedStack();
  });
  afterAll(closeBrowser);

  it.runIf(isLong)("is one row for all of its jobs, and opens with all of them", async () => {
    const { page, complaints } = await openStudio(stack);
    await page.getByText("Try this sample").click();
    await segment(page).click();
    await instance(page, "spoon 1").waitFor();
    const first = new URL(page.url()).pathname;
    await pointAt(page, [430, 330]);
    await keptInstance(page, "Object 1");
    await pointAt(page, [325, 245], [408, 336]);
    await keptInstance(page, "Object 2");
    await pointAt(page, [260, 120], [330, 190]);
    await keptInstance(page, "Object 3");
    const deleted = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.getByRole("button", { name: "Undo" }).click();
    expect((await deleted).status()).toBe(204);
    expect(page.url()).toBe(stack.baseUrl + first);

    const row = await onlyRow(page);
    await row.getByText("2 additions").waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await page.reload();
    await row.getByRole("link", { name: "cup, spoon" }).click();
    await waitForAll(page);
    expect(await instance(page, "Object 3").count()).toBe(0);

    // Other words on the same picture belong to it, too; pointed objects are shown with each search.
    await page.getByRole("button", { name: "Change prompts" }).click();
    await page.getByRole("button", { name: "Remove cup" }).click();
    await segment(page).click();
    await page.getByRole("region", { name: "Searches" }).waitFor();
    await instance(page, "cup 1").waitFor({ state: "detached" });
    await waitForAll(page, ["spoon 1", "Object 1", "Object 2"]);
    expect(new URL(page.url()).pathname).toBe(first);
    expect(await furtherFindingsOn(page)).toEqual([]);

    // Both searches side by side, with marked differences.
    await page.getByRole("button", { name: "Compare with cup, spoon" }).click();
    await page.getByRole("application", { name: "cup, spoon, the other search" }).waitFor();
    await page
      .getByText("0 objects only in this search, 1 only in the other, 0 with another outline, 1 the same.")
      .waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await page.getByRole("button", { name: /^cup, spoon/ }).click();
    await waitForAll(page);
    await page.getByRole("application", { name: "the other search" }).waitFor({ state: "detached" });
    await page.waitForURL(/\?search=job_/);
    await page.reload();
    await waitForAll(page);
    await (await onlyRow(page)).getByText("3 additions").waitFor();

    // Elsewhere it is the same, also by the address of a job that adds to it.
    const client = new SegmentationClient(stack);
    const { api } = client;
    const { items } = await api.listJobs();
    const firstId = first.split("/").at(-1);
    expect(items.map(({ continues }) => continues)).toEqual([firstId, firstId, firstId, undefined]);
    const { page: elsewhere } = await openStudio(stack, `/studio/jobs/${items[1]?.jobId}`);
    await elsewhere.waitForURL((url) => url.pathname === first);
    await waitForAll(elsewhere, ["spoon 1", "Object 1", "Object 2"]);
    expect(await instance(elsewhere, "cup 1").count()).toBe(0);
    await elsewhere.getByRole("button", { name: /^cup, spoon/ }).click();
    await waitForAll(elsewhere);

    // A further look is like the first.
    const { page: again } = await openStudio(stack, first);
    await waitForAll(again, ["spoon 1", "Object 1", "Object 2"]);
    await again.reload();
    await waitForAll(again, ["spoon 1", "Object 1", "Object 2"]);
    await again.getByRole("button", { name: "Export" }).waitFor();
    await again.getByRole("link", { name: "Segment", exact: true }).click();
    await again.getByRole("link", { name: "Jobs", exact: true }).click();
    await again.getByRole("row").getByRole("link", { name: "cup, spoon" }).click();
    await waitForAll(again, ["spoon 1", "Object 1", "Object 2"]);

    // The renderer of a workspace ends when another workspace is opened, and at the sign-out.
    const renderers = (): number =>
      page.workers().filter((worker) => worker.url().includes("render.worker")).length;
    const tasks = (await api.retrieveJob({ jobId: firstId ?? "" })).tasks.map(({ taskId }) => taskId);
    const alone = await api.createJob({ type: "image", prompts: ["spoon"], tasks });
    await client.waitForJob(alone.jobId);
    await page.getByRole("link", { name: "Segment", exact: true }).click();
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    // The job is deleted elsewhere below: only once the page has its masks.
    const masks = page.waitForResponse((response) => /\/masks\/.*\.png/.test(response.url()));
    await page.getByRole("row").filter({ hasNotText: "additions" }).getByRole("link").click();
    await waitForAll(page, ["spoon 1"]);
    expect((await masks).status()).toBe(200);
    expect(await instance(page, "Object 1").count()).toBe(0);
    expect(renderers()).toBe(1);
    expect(complaints).toEqual([]);
    await api.deleteJob(alone);

    await (await onlyRow(page)).getByRole("button", { name: /^Actions/ }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByText("with everything that was added to it").waitFor();
    await page.getByRole("button", { name: "Delete job" }).click();
    await page.getByText("No jobs yet").waitFor();
    expect((await api.listJobs()).items).toEqual([]);
    await page.getByRole("button", { name: "Sign out" }).click();
    await expect.poll(renderers).toBe(0);
    // The page may have asked for the deleted job before it knew.
    expect(complaints.filter((each) => !each.includes("404"))).toEqual([]);
  });

  it.runIf(isLong)(
    "is found by its prompts, the name of its file and its id, even if it has failed",
    async () => {
      const { page } = await openStudio(stack);
      await begin(page, { name: "harbour.png", mimeType: "image/png", buffer: BROKEN_PNG });
      await segment(page).click();
      await page.getByText("The PNG file is cut short").waitFor();
      const client = new SegmentationClient(stack);
      const tasks = [await client.upload(BROKEN_PNG)];
      const { jobId } = await client.api.createJob({ type: "image", prompts: ["zeppelin"], tasks });
      await client.waitForJob(jobId);
      const added = await client.api.createJob({
        type: "image",
        prompts: ["gondola"],
        tasks,
        continues: jobId,
      });
      await client.waitForJob(added.jobId);

      await typeOnceThere(page, "Prompt, file name or job ID", "zepp");
      await page.getByRole("link", { name: "Jobs", exact: true }).click();
      await expect.poll(() => page.getByRole("row").count()).toBe(1);
      const find = page.getByLabel("Prompt, file name or job ID");
      for (const [words, prompt] of [
        ["zepp", "zeppelin"],
        ["HARBOUR", "cup"],
        // A later search belongs to the group, too.
        ["gondola", "zeppelin"],
        [jobId, "zeppelin"],
      ] as const) {
        await find.fill(words);
        await expect.poll(() => page.getByRole("row").count()).toBe(1);
        await page
          .getByRole("row")
          .filter({ hasText: "Failed" })
          .getByRole("link", { name: prompt })
          .waitFor();
      }
      await find.fill("harbour zepp");
      await page.getByText("No matching jobs").waitFor();
      expect(await furtherFindingsOn(page)).toEqual([]);
      await page.getByRole("button", { name: "Show all jobs" }).click();
      await expect.poll(() => page.getByRole("row").count()).toBe(2);
    },
  );
});
