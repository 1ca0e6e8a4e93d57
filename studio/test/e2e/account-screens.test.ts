import type { Page } from "playwright-core";
import { SegmentationClient, SegmentationError } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { plantJobs } from "../../../test/support/stack/plant-jobs.ts";
import { stillClip } from "../../../test/support/media/pan-clip.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import { BROKEN_PNG } from "../../../test/support/browser/studio-work.ts";
import {
  closeBrowser,
  findingsOn,
  keepSecret,
  newEmail,
  openPage,
  openStudio,
  signInAs,
} from "../../../test/support/browser/studio.ts";
import { WebhookReceiver } from "../../../test/support/network/webhook-receiver.ts";

const PLANTED = 250;

const press = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole("button", { name }).click();
describe("the studio's screens of an account", () => {
  let stack: SharedStack;
  let client: SegmentationClient;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    stack = await useSharedStack();
    client = new SegmentationClient(stack);
    receiver = await WebhookReceiver.start();
  });
  afterAll(async () => {
    await receiver.stop();
    await closeBrowser();
  });

  it("make a key that works, is shown once, and is refused after it is revoked", async () => {
    const { page } = await openStudio(stack, "/studio/keys");
    await press(page, "New key");
    await page.getByLabel("Name").fill("nightly batch");
    await press(page, "Create key");
    const apiKey = await keepSecret(page, "API key");
    const { api } = new SegmentationClient({ baseUrl: stack.baseUrl, apiKey });
    expect(await api.getAccount()).toEqual(await client.api.getAccount());
    expect(await page.content()).not.toContain(apiKey);

    await press(page, "Revoke nightly batch");
    await press(page, "Revoke key");
    await page.getByText("Revoked keys (1)").waitFor();
    await expect(api.getAccount()).rejects.toMatchObject({ status: 401 });
  });

  it.runIf(isLong)("warn before the key of this tab is revoked", async () => {
    const { page } = await openStudio(stack, "/studio/keys");
    await press(page, "Revoke test");
    await page.getByText("This tab is signed in with this key").waitFor();
    await press(page, "Keep it");
    expect(await page.getByRole("dialog").count()).toBe(0);
  });

  it("lead to the checkout, and show the paid plan after the payment without a reload by hand", async () => {
    const { page, complaints } = await openPage(`${stack.baseUrl}/studio`);
    await signInAs(page, newEmail());
    await page.getByRole("link", { name: "Usage" }).click();
    // The page states cost and content before the payment provider's page.
    const plans = page.getByRole("table", { name: "Plans" });
    await plans.getByRole("row", { name: /^Price Free Per unit/ }).waitFor();
    await plans.getByRole("row", { name: /^Pictures per job Up to 3 Up to 100/ }).waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await press(page, "Upgrade");
    await press(page, "Pay");
    await page.getByText("you are on the paid plan").waitFor();
    await page.getByRole("button", { name: "Manage billing" }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/studio/usage");
    expect(complaints).toEqual([]);
  });

  it("make an endpoint, send it a test, and show the delivery with its attempt", async () => {
    const { page, complaints } = await openStudio(stack, "/studio/webhooks");
    await press(page, "New endpoint");
    await page.getByLabel("URL").fill(`${receiver.url}/good`);
    await press(page, "Create endpoint");
    expect(await keepSecret(page, "Secret")).toMatch(/^whsec_/);
    await page.getByRole("link", { name: `${receiver.url}/good` }).click();
    await press(page, "Send test event");
    await page.getByText("Delivered", { exact: true }).click();
    await page.getByText("Responded with 204").waitFor();
    expect(receiver.at("/good")).toHaveLength(1);
    await press(page, "Retry now");
    await page.getByText("Delivered after 2 attempts").waitFor();
    expect(receiver.at("/good")).toHaveLength(2);
    expect(complaints).toEqual([]);
  });

  it.runIf(isLong)("show a job that is in progress and ends, cancel one, and delete one", async () => {
    const failing = await client.api.createJob({
      type: "image",
      prompts: ["cat"],
      tasks: [await client.upload(BROKEN_PNG)],
    });
    const { page } = await openStudio(stack, "/studio/jobs");
    const rows = page.getByRole("row");
    await rows.filter({ hasText: "Failed" }).waitFor();
    const clip = await client.upload(stillClip(300));
    const { jobId } = await client.api.createJob({ type: "video", prompts: ["cat"], tasks: [clip] });
    await page.reload();
    const row = rows.filter({ hasText: "Video" });
    await row.getByRole("button", { name: /^Actions/ }).click();
    await page.getByRole("menuitem", { name: "Cancel" }).click();
    await press(page, "Cancel job");
    await row.getByText("Canceled", { exact: true }).waitFor();
    expect((await client.api.retrieveJob({ jobId })).error).toMatch(/^canceled/);

    await rows
      .filter({ hasText: "Failed" })
      .getByRole("button", { name: /^Actions/ })
      .click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await press(page, "Delete job");
    await rows.filter({ hasText: "Failed" }).waitFor({ state: "detached" });
    const refused = client.api.retrieveJob({ jobId: failing.jobId });
    await expect(refused).rejects.toSatisfy(
      (error) => error instanceof SegmentationError && error.code === "job_not_found",
    );
  });

  it.runIf(isLong)(
    "draw only the rows in sight of a long list, which the keyboard walks to its end",
    async () => {
      const other = await useSharedStack();
      const { api } = new SegmentationClient(other);
      await plantJobs(other.stateDir, (await api.getAccount()).accountId, PLANTED);
      const { page } = await openStudio(other, "/studio/jobs");
      const grid = page.getByRole("grid");
      await grid.getByRole("link").first().focus();
      await expect
        .poll(async () => {
          await page.keyboard.press("End");
          return await grid.getAttribute("aria-rowcount");
        })
        .toBe(String(PLANTED));
      await page.keyboard.press("End");
      await expect
        .poll(() => page.evaluate("document.activeElement.closest('[role=row]').ariaRowIndex"))
        .toBe(String(PLANTED));
      const drawn = await page.getByRole("row").count();
      expect(drawn).toBeGreaterThan(5);
      expect(drawn).toBeLessThan(40);
      await page.getByLabel("Status").selectOption("Failed or canceled");
      await page.getByText(`${PLANTED / 5} jobs`).waitFor();
    },
  );
});
