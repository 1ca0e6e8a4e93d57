import type { Page, Route } from "playwright-core";
import { SegmentationClient } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { placeOfSample } from "../../../scripts/shared/studio-sample.ts";
import { watchRenewals } from "../../support/node/renewals.ts";
import { type SharedStack, useSharedStack } from "../../support/node/shared-stack.ts";
import { begin, BROKEN_PNG, give, instance, segment } from "../../support/node/studio-work.ts";
import {
  closeBrowser,
  newEmail,
  openPage,
  openStudio,
  openTab,
  signInAs,
  signInByKey,
} from "../../support/node/studio.ts";

const BROKEN = (name: string) => ({ name, mimeType: "image/png", buffer: BROKEN_PNG });

/** Requests that are held until the test lets them go. */
interface Held {
  /** Resolves once one is held. */
  readonly arrived: Promise<void>;
  readonly release: () => void;
}

/** Holds every request of a method to a path: before it is sent, or its answer. */
async function hold(page: Page, url: RegExp | string, method: string, what: "request" | "answer"): Promise<Held> {
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const act = async (route: Route): Promise<void> => {
    if (route.request().method() !== method) return await route.fallback();
    const response = what === "answer" ? await route.fetch() : undefined;
    arrived.resolve();
    await released.promise;
    await (response === undefined ? route.continue() : route.fulfill({ response }));
  };
  // A page that is left no longer waits for an answer.
  await page.route(url, (route) => act(route).catch(() => {}));
  return { arrived: arrived.promise, release: released.resolve };
}

const JOBS = /\/v1\/jobs$/;

describe("what was begun in the studio", () => {
  let stack: SharedStack;
  let client: SegmentationClient;
  beforeAll(async () => {
    stack = await useSharedStack();
    client = new SegmentationClient(stack);
  });
  afterAll(closeBrowser);

  const jobs = async (): Promise<number> => (await client.api.listJobs()).items.length;

  it("is whole after one of three pictures was pointed at: after a reload, in a second tab, for a new key", async () => {
    const { page, context } = await openStudio(stack);
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

    // What is taken back before the service has answered is canceled as soon as it has.
    const created = await hold(page, JOBS, "POST", "answer");
    await page.mouse.click(x + 300 * scale, y + 150 * scale);
    await created.arrived;
    await page.getByRole("button", { name: "Undo" }).click();
    const canceled = page.waitForRequest(/\/cancel$/);
    created.release();
    await canceled;

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
      for (const name of ["second.png", "third.png"]) await tab.getByRole("button", { name }).first().waitFor();
      await tab.getByRole("button", { name: "Remove cup" }).waitFor();
    }
  });

  it("makes one job, whether its answer was lost by a reload or what follows it is refused", async () => {
    const { page } = await openStudio(stack);
    const before = await jobs();
    await begin(page, BROKEN("lost.png"));
    const created = await hold(page, JOBS, "POST", "answer");
    await segment(page).click();
    await created.arrived;
    page.once("dialog", (dialog) => void dialog.accept());
    await page.unroute(JOBS);
    await page.reload();
    await page.waitForURL(/\/jobs\/job_/);
    await page.getByText("The PNG file is cut short").waitFor();
    expect(await jobs()).toBe(before + 1);

    await page.goto(`${stack.baseUrl}/studio`);
    await begin(page, BROKEN("refused.png"));
    await page.route(/\/v1\/jobs\/job_/, (route) => route.fulfill({ status: 401, json: {} }));
    await segment(page).click();
    await page.getByText("This API key is no longer valid").waitFor();
    await page.unroute(/\/v1\/jobs\/job_/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("The PNG file is cut short").waitFor();
    // The credential is accepted again, so nobody is asked for another one.
    await page.getByText("This API key is no longer valid").waitFor({ state: "detached" });
    expect(await jobs()).toBe(before + 2);
  });

  it("is nobody else's: a late answer changes nothing after a sign-out, which ends the uploads", async () => {
    const other = await useSharedStack();
    const { page } = await openStudio(stack);
    await begin(page, BROKEN("mine.png"));
    // The storage never answers.
    await page.route(/\/inputs\//, () => {});
    const late = await hold(page, /\/v1\/account$/, "GET", "answer");
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await late.arrived;
    const upload = page.waitForRequest(/\/inputs\//);
    await segment(page).click();
    await upload;
    const ended = page.waitForEvent("requestfailed", (request) => request.url().includes("/inputs/"));
    await page.getByRole("button", { name: "Sign out" }).click();
    await ended;
    await page.unroute(/\/inputs\//);
    await page.unroute(/\/v1\/account$/);

    await signInByKey(page, other.apiKey);
    await begin(page, BROKEN("theirs.png"));
    const answer = page.waitForEvent("requestfinished", (request) => request.url().endsWith("/v1/account"));
    late.release();
    await answer;
    await page.reload();
    await page.getByRole("button", { name: "Remove cup" }).waitFor();
    await expect.poll(() => page.title()).toContain("theirs.png");
  });

  it("is found again by a new sign-in, also if its job came while the page was leaving", async () => {
    const { page, context } = await openPage(`${stack.baseUrl}/studio`);
    const email = newEmail();
    await signInAs(page, email);
    const renewals = await watchRenewals(context, stack);
    await begin(page, BROKEN("leaving.png"));
    const discovery = await hold(page, `${stack.identityUrl}/.well-known/openid-configuration`, "GET", "request");
    const created = await hold(page, JOBS, "POST", "answer");
    await segment(page).click();
    await created.arrived;
    await page.route(/\/v1\/account$/, (route) => route.fulfill({ status: 401, json: {} }), { times: 1 });
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole("button", { name: "Sign in again" }).click();
    await discovery.arrived;
    created.release();
    await page.waitForURL(/\/jobs\/job_/);
    discovery.release();
    await page.getByLabel(/e-mail address/).fill(email);
    await page.unroute(JOBS);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/\/jobs\/job_/);
    await page.getByText("The PNG file is cut short").waitFor();
    await page.getByRole("button", { name: "Remove cup" }).waitFor();
    expect(renewals.statuses).not.toContain(400);
  });
});
