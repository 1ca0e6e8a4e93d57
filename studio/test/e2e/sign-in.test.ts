import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import {
  closeBrowser,
  newEmail,
  openPage,
  openStudio,
  openTab,
  seriousFindings,
  signInAs,
} from "../../../test/support/browser/studio.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";

describe("signing in to the studio", () => {
  let stack: SharedStack;
  let url: string;
  beforeAll(async () => {
    stack = await useSharedStack();
    url = `${stack.baseUrl}/studio`;
  });
  afterAll(closeBrowser);

  it("by the identity provider gives a new person a free trial, and no token is in the address or in storage", async () => {
    const { page, complaints } = await openPage(url);
    await page.getByRole("heading", { name: "Segment pictures and videos" }).waitFor();
    await signInAs(page, newEmail());
    await page.getByText("100 free units").waitFor();
    expect(new URL(page.url()).href).toBe(url);
    const stored = await page.evaluate(
      "JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])",
    );
    expect(stored).not.toMatch(/eyJ|refresh|verifier/);
    expect(complaints).toEqual([]);
  });

  it("outlives a reload, which comes back to the same page by asking the identity provider again", async () => {
    const { page } = await openPage(url);
    await signInAs(page, newEmail());
    await page.getByRole("link", { name: "Keys" }).click();
    await page.reload();
    await page.getByRole("heading", { name: "API keys" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/studio/keys");
  });

  it.runIf(isLong)(
    "comes back to the page of a reload that found the provider's session at its end, and needs no form in a new tab",
    async () => {
      const { page, context } = await openPage(url);
      const email = newEmail();
      await signInAs(page, email);
      await page.getByRole("link", { name: "Keys" }).click();
      const second = await openTab(context, url);
      await second.page.getByRole("button", { name: "Sign out" }).waitFor();
      await context.clearCookies();
      await page.reload();
      await signInAs(page, email);
      await page.getByRole("heading", { name: "API keys" }).waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      const third = await openTab(context, url);
      await third.page.getByText("Use an API key").waitFor();
    },
  );

  it.runIf(isLong)("keeps two people in two tabs apart after a reload", async () => {
    const first = await openPage(url);
    await signInAs(first.page, newEmail());
    const second = await openTab(first.context, url);
    await second.page.getByRole("button", { name: "Sign out" }).click();
    await signInAs(second.page, newEmail());
    await first.page.reload();
    await first.page.getByText("Someone else is now signed in").waitFor();
    await second.page.reload();
    await second.page.getByRole("button", { name: "Sign out" }).waitFor();
  });

  it("by an API key lasts for the tab, and ends with Sign out", async () => {
    const { page, context } = await openStudio(stack);
    await page.reload();
    await page.getByText("Paid plan").waitFor();
    const other = await openTab(context, url);
    await other.page.getByText("Use an API key").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.reload();
    await page.getByText("Use an API key").waitFor();
  });

  it("refuses a malformed API key and an unknown one", async () => {
    const { page } = await openPage(url);
    await page.getByText("Use an API key").click();
    const field = page.getByLabel("API key");
    await field.fill("not a key");
    await page.keyboard.press("Enter");
    await page.getByText("starts with sk_live_").waitFor();
    await field.fill(`sk_live_${"0".repeat(46)}`);
    await page.keyboard.press("Enter");
    await page.getByText("doesn’t recognize this key").waitFor();
    // There was no sign-in, so there is no work to go back to.
    expect(await page.getByText("Your work is still in this tab").count()).toBe(0);
  });

  it.each((["light", "dark"] as const).slice(0, isLong ? 2 : 1))(
    "has no serious finding of axe signed out, %s",
    async (colorScheme) => {
      const { page } = await openPage(url, { colorScheme });
      await page.getByText("Use an API key").click();
      expect(await seriousFindings(page)).toEqual([]);
    },
  );
});
