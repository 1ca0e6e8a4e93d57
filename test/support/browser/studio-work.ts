import type { Locator, Page } from "playwright-core";

/** The samples' picture of a cup. */
export const COFFEE = "samples/coffee.png";
/** A PNG by its first bytes: its job fails without the model. */
export const BROKEN_PNG = Buffer.from("89504e470d0a1a0a0000000d", "hex");

/** Chooses files on the workbench. */
export const give = (page: Page, files: Parameters<Page["setInputFiles"]>[1]): Promise<void> =>
  page.locator("input[type=file]").first().setInputFiles(files);

/** Returns the button that segments by the prompts. */
export const segment = (page: Page): Locator => page.getByRole("button", { name: "Segment", exact: true });

/** An object that was found. */
export const instance = (page: Page, name: string): Locator =>
  page.getByRole("button", { name: new RegExp(`^${name} \\d+%$`) });

/** Chooses files and names a cup; nothing is sent yet. */
export async function begin(page: Page, files: Parameters<Page["setInputFiles"]>[1] = COFFEE): Promise<void> {
  await give(page, files);
  await page.getByLabel("Prompts").fill("cup,");
}

/** Waits for the upload that `begin` began. */
export async function waitForBegun(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Remove cup" }).waitFor();
  await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
}

/** Waits for an object that was pointed at, and keeps it if only the page has it. */
export async function keptInstance(page: Page, name: string): Promise<void> {
  const keep = page.getByRole("button", { name: /^Keep \d/ });
  await instance(page, name).or(keep).first().waitFor();
  if (await keep.isVisible()) await keep.click();
  await instance(page, name).waitFor();
}
