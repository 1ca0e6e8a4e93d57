import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, BrowserContextOptions, Page, Route } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { needChromium } from "../../../scripts/shared/chromium.ts";

/** What a page of the studio said that it should not have: errors of scripts, refusals of the policy, failures of requests. */
export type Complaints = readonly string[];

/** A page of the studio in a real browser. */
export interface StudioPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What went wrong on the page so far. A refused request (4xx) that a test provokes is listed too, as the console has it. */
  readonly complaints: Complaints;
}

/** How long a page may take for any one thing: what only one that hangs exceeds, however much else the machine has to do. */
const HANG_MS = 200_000;

let browser: Promise<Browser> | undefined;

/** Opens a page in a browser context of its own, closed after the test. All of a test file share one browser. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<StudioPage> {
  browser ??= needChromium();
  const context = await (
    await browser
  ).newContext({
    viewport: { width: 1280, height: 800 },
    // What moves while a page waits would be painted without graphics, by the processor that the tests share.
    reducedMotion: "reduce",
    ...options,
  });
  context.setDefaultTimeout(HANG_MS);
  onTestFinished(() => context.close());
  return { ...(await openTab(context, url)), context };
}

/** Opens a further tab of a browser context. */
export async function openTab(context: BrowserContext, url: string): Promise<Omit<StudioPage, "context">> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(url);
  return { page, complaints };
}

/**
 * Has the page's next requests for a URL handled, `times` of them or until the returned function is called. The route stays, and
 * lets all others pass: where a page's last route is taken away, requests under way get lost, and the page waits for them for good.
 */
export async function handleRequests(
  page: Page,
  url: RegExp | string,
  handle: (route: Route) => Promise<void>,
  times = Number.POSITIVE_INFINITY,
): Promise<() => void> {
  let left = times;
  await page.route(url, async (route) => {
    if (left === 0) return await route.fallback();
    left -= 1;
    await handle(route);
  });
  await untilIntercepted(page);
  return () => (left = 0);
}

/** A page's first route is set before its document's loader knows of it: a request that is made at once would pass it by. */
async function untilIntercepted(page: Page): Promise<void> {
  const probe = new URL(page.url());
  probe.searchParams.set("intercepted", crypto.randomUUID());
  await page.route(probe.href, (route) => route.fulfill({ body: "by the route" }));
  const fetched = () => page.evaluate(async (url) => await (await fetch(url)).text(), probe.href);
  await expect.poll(fetched).toBe("by the route");
}

/** Ends the browser of a test file: for `afterAll`. */
export async function closeBrowser(): Promise<void> {
  const running = browser;
  browser = undefined;
  await (await running)?.close();
}

/** Opens the studio, signed in by an API key. */
export async function openStudio(
  { baseUrl, apiKey }: { readonly baseUrl: string; readonly apiKey: string },
  path = "/studio",
  options: BrowserContextOptions = {},
): Promise<StudioPage> {
  const studio = await openPage(`${baseUrl}/studio`, options);
  await signInByKey(studio.page, apiKey);
  if (path !== "/studio") await studio.page.goto(baseUrl + path);
  return studio;
}

/** Fills in the form for API keys of the signed-out page. */
export async function signInByKey(page: Page, apiKey: string): Promise<void> {
  await page.getByText("Use an API key").click();
  await page.getByLabel("API key").fill(apiKey);
  await page.getByRole("button", { name: "Open the studio" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/** The address of somebody who has no account yet. */
export const newEmail = (): string => `${crypto.randomUUID()}@example.com`;

/** Signs in as somebody at the identity provider's stand-in, from the signed-out page. */
export async function signInAs(page: Page, email: string): Promise<void> {
  await page.getByRole("button", { name: "Sign in or sign up" }).click();
  await page.getByLabel(/e-mail address/).fill(email);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/** The secret that a dialog shows once; the dialog is left. */
export async function keepSecret(page: Page, label: string): Promise<string> {
  const secret = (await page.getByLabel(label, { exact: true }).textContent()) ?? "";
  await page.getByRole("button", { name: "Done, I’ve saved it" }).click();
  return secret.trim();
}

const AXE = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));

/** What axe finds serious or critical on the page, in the theme of now: the rule and the elements. @param rules all if empty */
export async function seriousFindings(page: Page, rules: readonly string[] = []): Promise<string[]> {
  // A document keeps it. What passes stays in the page: it is long, and nobody reads it.
  if (await page.evaluate("window.axe === undefined")) await page.evaluate(await readFile(AXE, "utf8"));
  const options = {
    resultTypes: ["violations"],
    ...(rules.length > 0 && { runOnly: { type: "rule", values: rules } }),
  };
  return await page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" · ")))`);
}

/** What of the page is wider than the window of a phone: it would be cut off, or move the whole page sideways. */
async function widerThanPhone(page: Page): Promise<string[]> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const found = await page.evaluate<string[]>(`(async () => {
    const wide = () =>
      [...document.querySelectorAll("html, dialog[open], dialog[open] [role=tabpanel]")]
        .filter((each) => each.scrollWidth > each.clientWidth)
        .map((each) => each.tagName + "." + each.className + " is wider than a phone: " + each.scrollWidth);
    // A chart is drawn anew for another width some frames later.
    for (let frame = 0; frame < 50 && wide().length > 0; frame += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    return wide();
  })()`);
  if (before !== null) await page.setViewportSize(before);
  return found;
}

/**
 * The same, and what is too wide for a phone. The dark theme, which differs in colours alone, is looked at by the long tests, which
 * come to every screen.
 */
export async function findingsOn(page: Page): Promise<string[]> {
  const dark: string[] = [];
  if (isLong) {
    await page.emulateMedia({ colorScheme: "dark" });
    dark.push(...(await seriousFindings(page, ["color-contrast"])));
    await page.emulateMedia({ colorScheme: "light" });
  }
  return [
    ...(await seriousFindings(page)),
    ...dark.map((finding) => `dark: ${finding}`),
    ...(await widerThanPhone(page)),
  ];
}

/** The same, by the long tests alone: of a state that differs little from one of the same screen that CI looks at. */
export const furtherFindingsOn = async (page: Page): Promise<string[]> =>
  isLong ? await findingsOn(page) : [];
