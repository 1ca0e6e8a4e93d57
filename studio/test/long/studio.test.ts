import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SegmentationClient } from "segmentation-client";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type SpawnedStack, spawnStack } from "../../../test/support/stack/spawn-stack.ts";
import {
  closeBrowser,
  keepSecret,
  openPage,
  openStudio,
  signInAs,
} from "../../../test/support/browser/studio.ts";

const BATCH = 12;

let folder: string;
let stack: SpawnedStack;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "studio-"));
  stack = await spawnStack({ stateDir: join(folder, "state") });
});
afterAll(async () => {
  await closeBrowser();
  await stack.stop();
  await rm(folder, { recursive: true });
});

/** Twelve pictures that differ: cut from the sample, one further to the right than the other. */
const pictures = (): Promise<string[]> =>
  Promise.all(
    Array.from({ length: BATCH }, async (_, i) => {
      const path = join(folder, `picture-${i}.png`);
      await sharp("samples/coffee.png")
        .extract({ left: i * 4, top: 0, width: 540, height: 400 })
        .toFile(path);
      return path;
    }),
  );

it("a person signs up, tries it, pays, makes a key, and takes a batch of 12 away as a zip", async () => {
  const { page, complaints } = await openPage(`${stack.baseUrl}/studio`);
  await signInAs(page, "new.person@example.com");
  await page.getByText("100 free units").waitFor();

  await page.getByText("Try this sample").click();
  await page.getByRole("button", { name: "Segment", exact: true }).click();
  await page.getByRole("button", { name: /^cup 1 \d+%$/ }).waitFor();
  await page.getByText("99 units left,").waitFor();

  await page.getByRole("link", { name: "Usage" }).click();
  await page.getByRole("button", { name: "Upgrade" }).click();
  await page.getByRole("button", { name: "Pay" }).click();
  await page.getByText("you are on the paid plan").waitFor();

  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("button", { name: "New key" }).first().click();
  await page.getByLabel("Name").fill("nightly batch");
  await page.getByRole("button", { name: "Create key" }).click();
  const apiKey = await keepSecret(page, "API key");
  const client = new SegmentationClient({ baseUrl: stack.baseUrl, apiKey });
  expect((await client.api.getAccountOverview()).access.mode).toBe("paid");

  await page.goto(`${stack.baseUrl}/studio`);
  await page.getByRole("button", { name: "Sign out" }).waitFor();
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles(await pictures());
  await page.getByLabel("Prompts").fill("cup,");
  await page.getByRole("button", { name: "Segment", exact: true }).click();
  await page.waitForURL(/\/jobs\//);
  const jobId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
  // In the middle of it the page is loaded again.
  await page.reload();
  const job = await client.waitForJob(jobId);
  expect([job.status, job.tasks.length]).toEqual(["success", BATCH]);
  await page.getByRole("button", { name: "Export" }).click({ timeout: 60_000 });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /zip/i }).first().click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.zip$/);
  expect(complaints).toEqual([]);
});

it("a running batch shows each finished picture's masks, and keeps them after a cancellation", async () => {
  const { page, complaints } = await openStudio(stack);
  const client = new SegmentationClient(stack);
  const others = await readdir("samples/labelled/pictures");
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles(["samples/chelsea.png", ...others.map((name) => join("samples/labelled/pictures", name))]);
  await page.getByLabel("Prompts").fill("cat,");
  await page.getByRole("button", { name: "Segment", exact: true }).click();
  const gallery = page.getByRole("region", { name: "Pictures", exact: true });
  await gallery.getByText("cat 1").first().waitFor();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await gallery.getByText("The job was canceled").first().waitFor();
  await gallery.getByRole("button", { name: "chelsea.png" }).click();
  await page.getByRole("button", { name: /^cat 1 \d+%$/ }).waitFor();
  const [job] = (await client.api.listJobs()).items;
  const { tasks } = await client.api.retrieveJob({ jobId: job?.jobId ?? "" });
  const ended = Map.groupBy(tasks, ({ status }) => status);
  expect(ended.get("success")?.length).toBeGreaterThan(0);
  expect(ended.get("failed")?.length).toBeGreaterThan(0);
  expect(complaints).toEqual([]);
});
