import { afterAll, beforeAll, describe, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import { BROKEN_PNG, begin, COFFEE, give, segment } from "../../../test/support/browser/studio-work.ts";
import {
  closeBrowser,
  handleRequests,
  openPage,
  openStudio,
  signInByKey,
} from "../../../test/support/browser/studio.ts";

const NOT_LOADED = "This part of the studio has not loaded yet";

describe("a part of the studio whose script is gone", () => {
  let stack: SharedStack;
  beforeAll(async () => {
    stack = await useSharedStack();
  });
  afterAll(closeBrowser);

  it.runIf(isLong)(
    "shows a notice in its place, and loads after a reload: a dialog, and the gallery of a batch",
    async () => {
      const { page } = await openPage(`${stack.baseUrl}/studio`);
      const allow = await handleRequests(page, /assets\/(gallery|key-sheet)-.*\.js$/, (route) =>
        route.abort(),
      );
      await signInByKey(page, stack.apiKey);
      await give(page, COFFEE);
      await page.getByRole("button", { name: "Keys" }).click();
      const dialog = page.getByRole("dialog", { name: NOT_LOADED });
      await dialog.getByRole("button", { name: "Close" }).click();
      await page.getByRole("button", { name: "Start over" }).click();

      const broken = ["one.png", "two.png"].map((name) => ({
        name,
        mimeType: "image/png",
        buffer: BROKEN_PNG,
      }));
      await begin(page, broken);
      await segment(page).click();
      await page.getByText(NOT_LOADED).waitFor();
      allow();
      await page.getByRole("button", { name: "Reload" }).click();
      await page.getByRole("region", { name: "Pictures", exact: true }).getByText("two.png").waitFor();
    },
  );

  it("is there without a network, because an idle page has fetched it", async () => {
    const { page, context } = await openStudio(stack);
    const fetched = ["key-sheet", "export-dialog"].map((name) =>
      page.waitForResponse((response) => response.url().includes(`assets/${name}-`)),
    );
    await give(page, COFFEE);
    await Promise.all(fetched);
    await context.setOffline(true);
    await page.getByRole("button", { name: "Keys" }).click();
    await page.getByRole("dialog", { name: "Keys" }).waitFor();
  });
});
