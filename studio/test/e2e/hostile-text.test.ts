import { SegmentationClient } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { sample } from "../../../test/support/media/sample.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";
import { closeBrowser, openPage, openStudio, type StudioPage } from "../../../test/support/browser/studio.ts";

const SCRIPT = "<img src=x onerror=window.ran=1><script>window.ran=1</script>";

/** Tells whether a script ran that the studio does not have. */
const hasRun = async ({ page }: Pick<StudioPage, "page">): Promise<boolean> =>
  (await page.evaluate("window.ran")) !== undefined;

describe("a text with a script in it is shown as text by the studio", () => {
  let stack: SharedStack;
  let client: SegmentationClient;
  beforeAll(async () => {
    stack = await useSharedStack();
    client = new SegmentationClient(stack);
  });
  afterAll(closeBrowser);

  it("in a file's name, and in a prompt that the service quotes in a problem", async () => {
    const studio = await openStudio(stack);
    const { page } = studio;
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles({
        name: `${SCRIPT}.png`,
        mimeType: "image/png",
        buffer: Buffer.from(sample("coffee")),
      });
    await page.getByLabel("Prompts").fill(`${SCRIPT},cup,`);
    await page.getByRole("button", { name: "Segment", exact: true }).click();
    await page.waitForURL(/\/jobs\//);
    await page.getByText("prompt_unsupported").or(page.getByText("vocabulary")).first().waitFor();
    expect(await page.content()).not.toContain("<img src=x");
    expect(await hasRun(studio)).toBe(false);
    await page.getByRole("link", { name: "Jobs" }).click();
    await page.getByRole("heading", { name: "Jobs", exact: true }).waitFor();
    await page.getByText("onerror").first().waitFor();
    expect(await hasRun(studio)).toBe(false);
  });

  it("in a key's label, and in the description of a webhook endpoint", async () => {
    await client.api.createApiKey({ label: SCRIPT });
    await client.api.createWebhookEndpoint({ url: "https://example.com/hook", description: SCRIPT });
    const studio = await openStudio(stack, "/studio/keys");
    await studio.page.getByText("onerror").first().waitFor();
    expect(await hasRun(studio)).toBe(false);
    await studio.page.goto(`${stack.baseUrl}/studio/webhooks`);
    await studio.page.getByText("onerror").first().waitFor();
    expect(await hasRun(studio)).toBe(false);
  });

  it.runIf(isLong)("in the address, and in the identity provider's answers", async () => {
    const text = encodeURIComponent(SCRIPT);
    for (const path of [
      `/studio/${text}`,
      `/studio/signed-in?error=${text}&error_description=${text}&state=${text}`,
    ]) {
      const studio = await openPage(stack.baseUrl + path);
      await studio.page.getByText("Use an API key").waitFor();
      expect(await hasRun(studio), path).toBe(false);
    }
    const signedIn = await openStudio(stack, `/studio/jobs/${text}`);
    await signedIn.page.getByRole("main").getByText(/not/i).first().waitFor();
    expect(await hasRun(signedIn)).toBe(false);
  });
});
