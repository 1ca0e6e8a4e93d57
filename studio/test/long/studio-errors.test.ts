import { copyFile, mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startFileServer } from "../../../test/support/network/file-server.ts";
import { watchRenewals } from "../../../test/support/browser/renewals.ts";
import { sample } from "../../../test/support/media/sample.ts";
import { type SpawnedStack, spawnStack } from "../../../test/support/stack/spawn-stack.ts";
import { begin, give, instance, segment, waitForBegun } from "../../../test/support/browser/studio-work.ts";
import {
  closeBrowser,
  newEmail,
  openPage,
  openStudio,
  openTab,
  signInAs,
  signInByKey,
} from "../../../test/support/browser/studio.ts";

const MOST_BYTES = 50_000_000;
const PICTURES = ["samples/coffee.png", "samples/chelsea.png", "samples/astronaut.png"];

describe("with a lasting obstacle, the studio", () => {
  let folder: string;
  let stateDir: string;
  let stack: SpawnedStack;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "studio-errors-"));
    stateDir = join(folder, "state");
    const env = { TRIAL_MAX_BACKLOG: "3", OIDC_CLOCK_TOLERANCE_SECONDS: "0" };
    stack = await spawnStack({ stateDir, env });
  });
  afterAll(async () => {
    await closeBrowser();
    await stack.stop();
    await rm(folder, { recursive: true });
  });

  it("waits while the trial's queue is full, can stop that, and continues by itself", async () => {
    const first = await openPage(`${stack.baseUrl}/studio`);
    await signInAs(first.page, newEmail());
    const second = await openPage(`${stack.baseUrl}/studio`);
    await signInAs(second.page, newEmail());
    await begin(first.page, PICTURES);
    await begin(second.page);
    await segment(first.page).click();
    await first.page.waitForURL(/\/jobs\//);
    await segment(second.page).click();
    const busy = second.page.getByText("The free trial is busy. Retrying automatically.");
    await busy.waitFor();
    await second.page.getByRole("link", { name: "See plans" }).waitFor();
    await second.page.getByRole("button", { name: "Stop waiting" }).click();
    await busy.waitFor({ state: "detached" });
    await segment(second.page).click();
    await busy.waitFor();
    await instance(second.page, "cup 1").waitFor();
  });

  it("waits for the account's job that is in the way, names it, and continues when that has ended", async () => {
    const email = newEmail();
    const { page, context } = await openPage(`${stack.baseUrl}/studio`);
    await signInAs(page, email);
    // A new tab of somebody who is signed in needs no form.
    const second = await openTab(context, `${stack.baseUrl}/studio`);
    await second.page.getByRole("button", { name: "Sign out" }).waitFor();
    // Mirrored, they are none of those that the model remembers: their job takes longer than it takes to ask for another.
    const mirrored = await Promise.all(
      PICTURES.map(async (path) => {
        const file = join(folder, basename(path));
        await sharp(path).flop().toFile(file);
        return file;
      }),
    );
    for (const [tab, files] of [[page, mirrored] as const, [second.page, "samples/coffee.png"] as const]) {
      await give(tab, files);
      await tab.getByLabel("Prompts").fill("cup,");
    }
    await segment(page).click();
    await page.waitForURL(/\/jobs\//);
    await segment(second.page).click();
    await second.page.getByRole("link", { name: "Open that job" }).waitFor();
    await instance(second.page, "cup 1").waitFor();
  });

  it("names the file that is too large, and takes a smaller one in its place", async () => {
    const { page } = await openStudio(stack);
    const large = join(folder, "large.png");
    await copyFile("samples/coffee.png", large);
    await truncate(large, MOST_BYTES + 1);
    await give(page, large);
    await page.getByText("large.png has 50 MB; a picture may have at most 50 MB.").waitFor();
    await begin(page);
    await segment(page).click();
    await instance(page, "cup 1").waitFor();
  });

  it("shows masks on the preview of a picture that the service has fetched from an address", async () => {
    const source = await startFileServer({ "/coffee.png": (response) => response.end(sample("coffee")) });
    try {
      const { page } = await openStudio(stack);
      await page.getByRole("button", { name: "From URL" }).click();
      await page.getByLabel("URL of a picture or video").fill(source.url("/coffee.png"));
      await page.keyboard.press("Enter");
      await page.getByText("It can’t be shown before that.").waitFor();
      await page.getByLabel("Prompts").fill("cup,");
      await segment(page).click();
      await instance(page, "cup 1").waitFor();
      await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
    } finally {
      source.close();
    }
  });

  it("asks to sign in again when the session ends, and hides unfinished work from the next person", async () => {
    const { identityUrl = "" } = stack;
    const { page, context } = await openPage(`${stack.baseUrl}/studio`);
    const renewals = await watchRenewals(context, { stateDir, identityUrl });
    const email = newEmail();
    await signInAs(page, email);
    await begin(page);
    const end = Math.floor(Date.now() / 1_000) + 20;
    renewals.endAt(end);
    for (const place of ["Keys", "Usage", "Webhooks"]) {
      await page.getByRole("link", { name: place }).click();
      await page.locator(".page-head").getByText(place).waitFor();
    }
    await expect.poll(() => renewals.used.length).toBeGreaterThan(1);
    // A refresh token that is used a second time may have been stolen: the provider then takes none of its family.
    const stolen = await fetch(`${identityUrl}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "refresh_token",
        client_id: "studio",
        refresh_token: renewals.used[0] ?? "",
      }),
    });
    expect(stolen.status).toBe(400);
    await expect
      .poll(
        async () => {
          const headers = { authorization: `Bearer ${renewals.latest}` };
          return (await fetch(`${stack.baseUrl}/v1/account`, { headers })).status;
        },
        { timeout: 40_000, interval: 500 },
      )
      .toBe(401);
    await page.getByRole("link", { name: "Segment", exact: true }).click();
    await segment(page).click();
    await page.getByText("Your session has ended").waitFor();
    expect(renewals.statuses.at(-1)).toBe(400);
    await page.getByRole("button", { name: "Sign in again" }).click();
    await page.getByLabel(/e-mail address/).fill(email);
    await page.getByRole("button", { name: "Sign in" }).click();
    await waitForBegun(page);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign out and delete" }).click();
    await signInAs(page, newEmail());
    await page.getByText("Drop pictures or a video").waitFor();
    expect(await page.evaluate("JSON.stringify({ ...sessionStorage })")).not.toContain("cup");
    await context.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("continues with a video's job after a reload and in a second tab, by back and forward, and has its prompts", async () => {
    const { page, context } = await openStudio(stack);
    await give(page, "samples/people-crossing.mp4");
    await page.getByLabel("Prompts").fill("person,");
    await page.getByLabel("Frames per second").selectOption("1");
    await segment(page).click();
    await page.waitForURL(/\/jobs\/job_/);
    const prompt = page.getByRole("button", { name: "Remove person" });
    await page.reload();
    await prompt.waitFor();
    const second = await openTab(context, page.url());
    await signInByKey(second.page, stack.apiKey);
    await second.page.getByRole("button", { name: "Segmenting…" }).waitFor();
    await page.getByRole("link", { name: "Keys" }).click();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    await page.goBack();
    await prompt.waitFor();
    for (const tab of [page, second.page]) {
      await tab.getByRole("button", { name: /^person 1 / }).waitFor();
      await tab.getByRole("button", { name: "Remove person" }).waitFor();
    }
    await page.goForward();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
  });
});
