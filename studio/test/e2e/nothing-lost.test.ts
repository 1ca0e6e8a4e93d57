import type { Page, Route } from "playwright-core";
import { SegmentationClient } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { placeOfSample } from "../../../scripts/shared/studio-sample.ts";
import { watchRenewals } from "../../../test/support/browser/renewals.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import { begin, BROKEN_PNG, give, instance, segment } from "../../../test/support/browser/studio-work.ts";
import {
  closeBrowser,
  furtherFindingsOn,
  handleRequests,
  newEmail,
  openPage,
  openStudio,
  openTab,
  signInAs,
  signInByKey,
} from "../../../test/support/browser/studio.ts";

const BROKEN = (name: string) => ({ name, mimeType: "image/png", buffer: BROKEN_PNG });

/** A request whose answer is held until the test lets it go. */
interface Held {
  /** Resolves once it is held. */
  readonly arrived: Promise<void>;
  /** Resolves once the page has it. */
  readonly release: () => Promise<void>;
}

/** Holds the answer to the next request for a URL. The service has done what it asks for. */
async function holdNext(page: Page, url: RegExp | string): Promise<Held> {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const act = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    arrived.resolve();
    await released.promise;
    // A page that was left waits for nothing.
    await route.fulfill({ response }).catch(() => {});
    ended.resolve();
  };
  await handleRequests(page, url, act, 1);
  return {
    arrived: arrived.promise,
    release: async () => {
      released.resolve();
      await ended.promise;
    },
  };
}

const refuse = (route: Route): Promise<void> => route.fulfill({ status: 401, json: {} });

/** Longer than clocks may differ. */
const HOUR_SECONDS = 3_600;
const JOBS = /\/v1\/jobs$/;

describe("unfinished work in the studio", () => {
  let stack: SharedStack;
  let client: SegmentationClient;
  beforeAll(async () => {
    stack = await useSharedStack();
    client = new SegmentationClient(stack);
  });
  afterAll(closeBrowser);

  const jobs = async (): Promise<number> => (await client.api.listJobs()).items.length;

  it.runIf(isLong)(
    "is whole after one of three pictures was pointed at: after a reload, in a second tab, for a new key",
    async () => {
      const { page, context } = await openStudio(stack);
      // The service draws each mask.
      await page.route(/\/decoders\//, (route) => route.abort());
      await begin(page, "samples/coffee.png");
      await give(page, [BROKEN("second.png"), BROKEN("third.png")]);
      await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
      const { x, y, scale } = await placeOfSample(page);
      await page.mouse.click(x + 430 * scale, y + 330 * scale);
      await instance(page, "Object 1").waitFor();
      await page.waitForURL(/\/jobs\/job_/);

      // The arrow keys take the focus along, and with it what a screen reader says.
      const strip = page.getByRole("navigation", { name: "Pictures" });
      await strip.getByRole("button", { name: "coffee.png", exact: false }).first().focus();
      await page.keyboard.press("ArrowRight");
      await expect.poll(() => page.evaluate("document.activeElement.textContent")).toContain("second.png");
      await page.keyboard.press("ArrowLeft");

      // An object undone before the service's answer is deleted after it.
      const created = await holdNext(page, JOBS);
      await page.mouse.click(x + 300 * scale, y + 150 * scale);
      await created.arrived;
      await page.getByRole("button", { name: "Undo" }).click();
      const deleted = page.waitForRequest((request) => request.method() === "DELETE");
      await created.release();
      await deleted;

      const second = await openTab(context, page.url());
      await signInByKey(second.page, stack.apiKey);
      // A storage that takes no file any more still has those that it has.
      await page.addInitScript(`
      const { put } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.put = function (value) {
        if ("file" in value) throw new DOMException("full", "QuotaExceededError");
        return put.call(this, value);
      };`);
      await page.reload();
      for (const tab of [page, second.page]) {
        await instance(tab, "Object 1").waitFor();
        await tab.getByRole("toolbar", { name: "Pointer" }).waitFor();
        for (const name of ["second.png", "third.png"])
          await tab.getByRole("button", { name }).first().waitFor();
        await tab.getByRole("button", { name: "Remove cup" }).waitFor();
      }
    },
  );

  it("makes one job, even if a reload loses its answer or a later request is refused", async () => {
    const { page } = await openStudio(stack);
    const before = await jobs();
    await begin(page, BROKEN("lost.png"));
    const lost = await holdNext(page, JOBS);
    await segment(page).click();
    await lost.arrived;
    page.once("dialog", (dialog) => void dialog.accept());
    await page.reload();
    await page.waitForURL(/\/jobs\/job_/);
    await page.getByText("The PNG file is cut short").waitFor();
    expect(await jobs()).toBe(before + 1);

    await page.goto(`${stack.baseUrl}/studio`);
    await begin(page, BROKEN("refused.png"));
    const accept = await handleRequests(page, /\/v1\/jobs\/job_/, refuse);
    await segment(page).click();
    await page.getByRole("button", { name: "Try again" }).waitFor();
    accept();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("The PNG file is cut short").waitFor();
    expect(await jobs()).toBe(before + 2);
    // The list has the prompts of jobs that failed.
    await page.getByRole("link", { name: "Jobs" }).click();
    await page
      .getByRole("row")
      .filter({ hasText: "Failed" })
      .getByRole("link", { name: "cup" })
      .first()
      .waitFor();
  });

  it.runIf(isLong)("continues when the service answers again, and the studio says so meanwhile", async () => {
    const { page } = await openStudio(stack);
    await begin(page, BROKEN("away.png"));
    const back = await handleRequests(page, /\/v1\/jobs\/job_|config\.json/, (route) => route.abort());
    await segment(page).click();
    await page.getByText("Work goes on when it answers.").waitFor();
    back();
    await page.getByText("The PNG file is cut short").waitFor();
    await page.getByText("Work goes on when it answers.").waitFor({ state: "detached" });
  });

  it.runIf(isLong)("is called canceled, not failed, in a batch that a person cancels", async () => {
    const { page } = await openStudio(stack);
    await begin(page, ["samples/coffee.png", "samples/chelsea.png", "samples/astronaut.png"]);
    await segment(page).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    const gallery = page.getByRole("region", { name: "Pictures", exact: true });
    await gallery.getByText("Canceled", { exact: true }).last().waitFor();
    await gallery.getByRole("radio", { name: "Failed 0" }).waitFor();
  });

  it.runIf(isLong)(
    "belongs to one person: a late answer changes nothing after a sign-out, which ends the uploads",
    async () => {
      const other = await useSharedStack();
      const { page } = await openStudio(stack);
      const late = await holdNext(page, /\/v1\/account$/);
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await late.arrived;
      await page.getByRole("button", { name: "Sign out" }).click();
      await signInByKey(page, other.apiKey);
      await begin(page, BROKEN("theirs.png"));
      await late.release();
      await page.reload();
      await page.getByRole("button", { name: "Remove cup" }).waitFor();
      await expect.poll(() => page.title()).toContain("theirs.png");

      // The storage never answers.
      await handleRequests(page, /\/inputs\//, async () => {});
      const ended: string[] = [];
      page.on("requestfailed", (request) => ended.push(request.url()));
      const upload = page.waitForRequest(/\/inputs\//);
      await segment(page).click();
      await upload;
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByText("1 file not sent yet: theirs.png").waitFor();
      expect(await furtherFindingsOn(page)).toEqual([]);
      await page.getByRole("button", { name: "Stay signed in" }).click();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("button", { name: "Sign out and delete" }).click();
      await signInByKey(page, stack.apiKey);
      expect(ended.filter((url) => url.includes("/inputs/"))).toHaveLength(1);
    },
  );

  it.runIf(isLong)(
    "is found again by a new sign-in, even if its job came while the page was leaving",
    async () => {
      const { page } = await openPage(`${stack.baseUrl}/studio`);
      const email = newEmail();
      await signInAs(page, email);
      await begin(page, BROKEN("leaving.png"));
      const ended = page.getByText("Your session has ended");
      const refuseTwice = async (): Promise<void> => {
        await handleRequests(page, /\/v1\/account(\/overview)?$/, refuse, 2);
        await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
        await ended.waitFor();
      };
      await refuseTwice();
      // A later accepted request shows that the session continues.
      await page.getByRole("link", { name: "Keys" }).click();
      await ended.waitFor({ state: "detached" });
      await page.getByRole("link", { name: "Segment", exact: true }).click();

      const discovery = await holdNext(page, `${stack.identityUrl}/.well-known/openid-configuration`);
      const created = await holdNext(page, JOBS);
      await segment(page).click();
      await created.arrived;
      await refuseTwice();
      await page.getByRole("button", { name: "Sign in again" }).click();
      await discovery.arrived;
      await created.release();
      await page.waitForURL(/\/jobs\/job_/);
      await discovery.release();
      await page.getByLabel(/e-mail address/).fill(email);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(/\/jobs\/job_/);
      await page.getByText("The PNG file is cut short").waitFor();
      await page.getByRole("button", { name: "Remove cup" }).waitFor();
    },
  );

  it.runIf(isLong)(
    "outlives access tokens, which single-use refresh tokens renew, and their end",
    async () => {
      const { page, context } = await openPage(`${stack.baseUrl}/studio`);
      const email = newEmail();
      const renewals = await watchRenewals(context, stack);
      await signInAs(page, email);
      await begin(page, BROKEN("kept.png"));
      for (const place of ["Keys", "Usage", "Webhooks"]) {
        await page.getByRole("link", { name: place }).click();
        await page.locator(".page-head").getByText(place).waitFor();
      }
      await expect.poll(() => renewals.used.length).toBeGreaterThan(1);
      expect(new Set(renewals.used).size).toBe(renewals.used.length);
      expect(await page.getByText("Your session has ended").count()).toBe(0);

      await page.getByRole("link", { name: "Segment", exact: true }).click();
      renewals.endAt(Math.floor(Date.now() / 1_000) - HOUR_SECONDS);
      await segment(page).click();
      await page.getByText("Your session has ended").waitFor();
      await page.getByRole("button", { name: "Sign in again" }).click();
      await page.getByLabel(/e-mail address/).fill(email);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("button", { name: "Remove cup" }).waitFor();
      await expect.poll(() => page.title()).toContain("kept.png");
      await context.unrouteAll({ behavior: "ignoreErrors" });
    },
  );
});
