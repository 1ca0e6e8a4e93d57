import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { SegmentationClient } from "segmentation-client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { plantJobs } from "../../../test/support/stack/plant-jobs.ts";
import { sample } from "../../../test/support/media/sample.ts";
import { type SpawnedStack, spawnStack } from "../../../test/support/stack/spawn-stack.ts";
import { BROKEN_PNG } from "../../../test/support/browser/studio-work.ts";
import {
  closeBrowser,
  findingsOn,
  handleRequests,
  newEmail,
  openPage,
  openStudio,
  signInAs,
} from "../../../test/support/browser/studio.ts";
import { useUpTrial } from "../../../test/support/stack/use-up-trial.ts";

let stateDir: string;
let stack: SpawnedStack;
beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "studio-axe-"));
  stack = await spawnStack({ stateDir });
});
afterAll(async () => {
  await closeBrowser();
  await stack.stop();
  await rm(stateDir, { recursive: true });
});

/** Findings of axe so far, by the screen's name. */
class Findings {
  readonly found: Record<string, string[]> = {};
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async look(screen: string): Promise<void> {
    await this.#page.locator(".waiting").waitFor({ state: "detached" });
    const findings = await findingsOn(this.#page);
    if (findings.length > 0) this.found[screen] = findings;
  }
}

it("axe finds nothing serious on the screens of a new person with a used-up trial", async () => {
  const { page, context } = await openPage(stack.baseUrl);
  const findings = new Findings(page);
  const press = (name: string): Promise<void> => page.getByRole("button", { name }).click();
  await findings.look("landing page");
  await page.goto(`${stack.baseUrl}/studio/signed-in?error=access_denied&state=none`);
  await page.getByText("Use an API key").click();
  await page.getByLabel("API key").fill("not a key");
  await page.keyboard.press("Enter");
  await page.getByText("starts with sk_live_").waitFor();
  await findings.look("welcome, with problems");

  await page.goto(`${stack.baseUrl}/studio`);
  const email = newEmail();
  await signInAs(page, email);
  const files = page.locator("input[type=file]").first();
  await files.setInputFiles({ name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("cup") });
  await press("From URL");
  await findings.look("segment, empty, with a file that was refused");
  await files.setInputFiles(["samples/coffee.png", "samples/chelsea.png"]);
  await page.getByLabel("Prompts").fill("zeppelin,");
  await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
  await useUpTrial(stateDir, email);
  await press("Segment");
  await page.getByText("Your trial is used up").waitFor();
  await page.getByText("no tokens left").waitFor({ state: "detached" });
  await findings.look("segment, with pictures and a used-up trial");
  for (const place of ["Jobs", "Usage", "Webhooks"]) {
    await page.getByRole("link", { name: place, exact: true }).click();
    await page.locator(".page-head").getByText(place).waitFor();
    await findings.look(`${place}, empty`);
  }
  // An idle page would fetch it ahead.
  await handleRequests(page, /assets\/keys-.*\.js$/, (route) => route.abort());
  await page.goto(`${stack.baseUrl}/studio/shares`);
  await page.getByText("No shared links").waitFor();
  await findings.look("shared links, empty");
  await context.setOffline(true);
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByText("has not loaded yet").waitFor();
  await findings.look("offline");
  expect(findings.found).toEqual({});
});

it("axe finds nothing serious on the page of a link, on that of an ended one, and on the list of links", async () => {
  const client = new SegmentationClient(stack);
  const { jobId } = await client.submit([sample("coffee"), sample("chelsea")], ["cup"]);
  await client.waitForJob(jobId);
  const { url } = await client.api.createShare({ jobId, showInputs: true });
  const { page } = await openPage(url ?? "");
  const findings = new Findings(page);
  const gallery = page.getByRole("region", { name: "Pictures", exact: true });
  await gallery.getByText("cup 1").waitFor();
  await findings.look("a shared batch");
  await gallery.getByRole("button", { name: "Picture 1" }).click();
  await page.getByRole("button", { name: "cup 1" }).waitFor();
  await page
    .getByRole("navigation", { name: "Pictures" })
    .getByRole("button", { name: /^Picture 2/ })
    .locator("img")
    .waitFor();
  await findings.look("a shared picture");
  await page.setViewportSize({ width: 390, height: 844 });
  await findings.look("a shared picture on a phone");
  await client.api.revokeShare({ jobId });
  await page.reload();
  await page.getByText("This link has ended").waitFor();
  await findings.look("a link that has ended");
  await client.api.createShare({ jobId, showInputs: false });
  const { page: own } = await openStudio(stack, "/studio/shares");
  await own.getByRole("row").filter({ hasText: "cup" }).waitFor();
  const ofList = new Findings(own);
  await ofList.look("shared links");
  expect({ ...findings.found, ...ofList.found }).toEqual({});
});

it("axe finds nothing serious on the screens of an account with much data", async () => {
  const client = new SegmentationClient(stack);
  const { api } = client;
  const tasks = [await client.upload(BROKEN_PNG)];
  const failed = await api.createJob({ type: "image", prompts: ["cat"], tasks });
  await plantJobs(stateDir, (await api.getAccount()).accountId, 12);
  await api.createWebhookEndpoint({ url: "https://example.com/hook", description: "Nightly" });
  const { page } = await openPage(`${stack.baseUrl}/studio`);
  const findings = new Findings(page);
  const press = (name: string): Promise<void> => page.getByRole("button", { name }).first().click();
  const go = async (path: string, text: string): Promise<void> => {
    await page.goto(stack.baseUrl + path);
    await page.getByText(text).first().waitFor();
  };
  await page.getByText("Use an API key").click();
  await page.getByLabel("API key").fill(stack.apiKey);
  await press("Open the studio");
  await page.getByText("Paid plan").waitFor();

  await page.getByRole("link", { name: "Jobs" }).click();
  await page.getByRole("row").filter({ hasText: "Failed" }).first().waitFor();
  await page
    .getByRole("button", { name: /^Actions/ })
    .first()
    .click();
  await findings.look("jobs, with a menu");
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await findings.look("jobs, with a question");
  await go(`/studio/jobs/${failed.jobId}`, "cut short");
  await findings.look("a job that failed");
  await go("/studio/jobs/job_that_never_was", "Not found");
  await findings.look("a job that is not there");
  await go("/studio/usage", "Daily usage");
  await findings.look("usage");
  await go("/studio/keys", "used by this tab");
  await press("New key");
  await press("Create key");
  await findings.look("a new key, with a problem");
  await page.getByLabel("Name").fill("nightly");
  await press("Create key");
  await page.getByText("Done, I’ve saved it").waitFor();
  await findings.look("a new key's secret");
  await press("Done, I’ve saved it");
  await findings.look("keys");
  await go("/studio/webhooks", "Nightly");
  await findings.look("webhooks");
  await press("New endpoint");
  await findings.look("a new endpoint");
  await press("Cancel");
  await page.getByRole("link", { name: "https://example.com/hook" }).click();
  await page.getByRole("button", { name: "Send test event" }).waitFor();
  await findings.look("an endpoint");
  await go("/studio/nowhere", "Page not found");
  await findings.look("a page that is not there");

  for (const { keyId } of (await api.listApiKeys()).items) await api.revokeApiKey({ keyId }).catch(() => {});
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByText("no longer valid").waitFor();
  await findings.look("a revoked key");
  expect(findings.found).toEqual({});
});
