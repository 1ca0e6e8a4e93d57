import { SegmentationClient } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { startFileServer } from "../../../test/support/network/file-server.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import { begin, BROKEN_PNG, give, segment, waitForBegun } from "../../../test/support/browser/studio-work.ts";
import {
  closeBrowser,
  handleRequests,
  newEmail,
  openPage,
  openStudio,
  signInAs,
} from "../../../test/support/browser/studio.ts";
import { useUpTrial } from "../../../test/support/stack/use-up-trial.ts";

/** The first bytes of a HEIC file: enough to identify it. */
const HEIC = Buffer.from("\0\0\0\x18ftypheic\0\0\0\0mif1heic".padEnd(2_000, "\0"), "latin1");

describe("the studio, when something goes wrong,", () => {
  let stack: SharedStack;
  beforeAll(async () => {
    stack = await useSharedStack();
  });
  afterAll(closeBrowser);

  it("says that the trial was used up meanwhile, leads to the payment, and keeps unfinished work across back and forward", async () => {
    const { page } = await openPage(`${stack.baseUrl}/studio`);
    const email = newEmail();
    await signInAs(page, email);
    await begin(page);
    await useUpTrial(stack.stateDir, email);
    await segment(page).click();
    await page.getByText("Your trial is used up").waitFor();
    // It is said once.
    await page.getByText("no tokens left").waitFor({ state: "detached" });
    await page.getByText("Nothing new can be pointed at now.").waitFor();
    await page.getByRole("link", { name: "See plans" }).click();
    await page.getByRole("button", { name: "Upgrade" }).waitFor();
    await page.goBack();
    await waitForBegun(page);
    await page.goForward();
    await page.getByRole("heading", { name: "Usage and billing" }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Start over" }).click();
    await page.getByText("Drop pictures or a video").waitFor();
    await page.getByText("Your trial is used up").waitFor();
    expect(await page.getByText("pictures per job").count()).toBe(0);
  });

  it("explains unsupported formats and refused addresses before the upload, and fetches an accepted one", async () => {
    const source = await startFileServer({ "/cat.png": (response) => response.end(BROKEN_PNG) });
    try {
      const { page } = await openStudio(stack);
      await give(page, [{ name: "IMG_0001.HEIC", mimeType: "", buffer: HEIC }]);
      const refused = page.getByText("IMG_0001.HEIC: HEIC files are not supported. To get a JPEG");
      await refused.waitFor();
      await page.getByRole("button", { name: "Dismiss" }).click();
      await refused.waitFor({ state: "detached" });

      await page.getByRole("button", { name: "From URL" }).click();
      const address = page.getByLabel("URL of a picture or video");
      await address.fill("ftp://example.com/cat.png");
      await page.keyboard.press("Enter");
      await page.getByText("A URL starts with https://.").waitFor();
      await address.fill(`https://10.0.0.1/dog.png ${source.url("/cat.png")}`);
      await page.keyboard.press("Enter");
      await page.getByLabel("Prompts").fill("cat,");
      await segment(page).click();
      await page.getByText(/dog\.png: The URL's host .* is not on the public Internet/).waitFor();
      await page.getByRole("button", { name: "Remove it" }).click();
      await segment(page).click();
      await page.getByText("The PNG file is cut short").waitFor();
    } finally {
      source.close();
    }
  });

  it.runIf(isLong)(
    "asks for another key if this one was revoked in the middle of work, which then continues",
    async () => {
      const { page } = await openStudio(stack);
      const { api } = new SegmentationClient(stack);
      const { secret: another = "" } = await api.createApiKey({ label: "another" });
      await begin(page);
      const used = (await api.listApiKeys()).items.find(({ label }) => label === "test");
      await api.revokeApiKey({ keyId: used?.keyId ?? "" });
      stack = { ...stack, apiKey: another };
      await segment(page).click();
      await page.getByText("This API key is no longer valid").waitFor();
      await page.getByText("coffee.png: Sign in again.").waitFor();
      await page.getByRole("button", { name: "Use another key" }).click();
      await page.getByLabel("API key").fill(another);
      await page.getByRole("button", { name: "Open the studio" }).click();
      await waitForBegun(page);
      expect(await page.getByText("Sign in again.").count()).toBe(0);
    },
  );

  it.runIf(isLong)(
    "says that a screen is not loaded without a network, and that a job is not there",
    async () => {
      const { page, context } = await openStudio(stack);
      // An idle page would fetch it ahead.
      const allow = await handleRequests(page, /assets\/jobs-.*\.js$/, (route) => route.abort());
      await page.goto(`${stack.baseUrl}/studio/jobs/job_that_never_was`);
      await page.getByRole("heading", { name: "Job not found" }).waitFor();
      await context.setOffline(true);
      await page.getByRole("link", { name: "all jobs" }).click();
      await page.getByText("This part of the studio has not loaded yet").waitFor();
      await context.setOffline(false);
      allow();
      await page.getByRole("button", { name: "Reload" }).click();
      await page.getByRole("heading", { name: "Jobs", exact: true }).waitFor();
    },
  );
});
