import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, BrowserContextOptions, Page, Route } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { needChromium } from "../../../scripts/shared/chromium.ts";

/** The complaints of a studio page: script errors, refusals of the policy, failed requests. */
type Complaints = readonly string[];

/** A page of the studio in a real browser. */
export interface StudioPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The complaints so far. Includes a refused request (4xx) that a test provokes, as the console does. */
  readonly complaints: Complaints;
}

/** Time limit for any step of a page: only a hanging page exceeds it, even on a busy machine. */
const HANG_MS = 200_000;

let browser: Promise<Browser> | undefined;

/** Opens a page in a separate browser context, closed after the test. All tests of a file share one browser. */
export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<StudioPage> {
  browser ??= needChromium();
  const context = await (
    await browser
  ).newContext({
    viewport: { width: 1280, height: 800 },
    // Without graphics, the processor that the tests share would paint animations while a page waits.
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
 * Handles the page's next requests for a URL, `times` of them or until the returned function is called. The route remains and
 * passes all others: removing a page's last route loses its current requests, and the page waits for them forever.
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

/**
 * Waits until the page's routes work: its document's loader learns of the first route late, and would miss an immediate request.
 */
async function untilIntercepted(page: Page): Promise<void> {
  const probe = new URL(page.url());
  probe.searchParams.set("intercepted", crypto.randomUUID());
  await page.route(probe.href, (route) => route.fulfill({ body: "by the route" }));
  const fetched = () => page.evaluate(async (url) => await (await fetch(url)).text(), probe.href);
  await expect.poll(fetched).toBe("by the route");
}

/** Closes the browser of a test file: for `afterAll`. */
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

/** Returns the address of a person without an account. */
export const newEmail = (): string => `${crypto.randomUUID()}@example.com`;

/** Signs in as a person at the identity provider's fake, from the signed-out page. */
export async function signInAs(page: Page, email: string): Promise<void> {
  await page.getByRole("button", { name: "Sign in or sign up" }).click();
  await page.getByLabel(/e-mail address/).fill(email);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("button", { name: "Sign out" }).waitFor();
}

/** Returns the secret that a dialog shows once, and closes the dialog. */
export async function keepSecret(page: Page, label: string): Promise<string> {
  const secret = (await page.getByLabel(label, { exact: true }).textContent()) ?? "";
  await page.getByRole("button", { name: "Done, I’ve saved it" }).click();
  return secret.trim();
}

const AXE = fileURLToPath(import.meta.resolve("axe-core/axe.min.js"));

/**
 * Returns axe's serious or critical findings on the page, in the current theme: the rule and the elements.
 * @param rules all if empty
 */
export async function seriousFindings(page: Page, rules: readonly string[] = []): Promise<string[]> {
  // A document keeps axe. The list of passed rules stays in the page: it is long and not used.
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

/**
 * Returns the parts of the page that are wider than a phone's window: they would be cut off, or make the whole page scroll
 * sideways.
 */
async function widerThanPhone(page: Page): Promise<string[]> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const found = await page.evaluate<string[]>(`(async () => {
    const wide = () =>
      [...document.querySelectorAll("html, dialog[open], dialog[open] [role=tabpanel]")]
        .filter((each) => each.scrollWidth > each.clientWidth)
        .map((each) => each.tagName + "." + each.className + " is wider than a phone: " + each.scrollWidth);
    // A chart takes some frames to adapt to another width.
    for (let frame = 0; frame < 50 && wide().length > 0; frame += 1)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    return wide();
  })()`);
  if (before !== null) await page.setViewportSize(before);
  return found;
}

/** Returns the elements that cover a corner or an edge of a picture or a video. */
export const coveringPictures = async (page: Page): Promise<string[]> =>
  await page.evaluate(`(() => {
    const [sheet] = document.styleSheets;
    // A hint lets clicks through, and covers what is under it all the same.
    const rule = sheet.insertRule("* { pointer-events: auto !important }", sheet.cssRules.length);
    const covering = [...document.querySelectorAll(".viewer-canvas")].flatMap((canvas) => {
      const frame = document.querySelector("dialog[open]") ?? canvas.closest(".stage-pane") ?? document.body;
      if (!frame.contains(canvas)) return [];
      const place = canvas.getBoundingClientRect();
      const seen = frame.getBoundingClientRect();
      const along = (start, end) => [start + 9, (start + end) / 2, end - 9];
      return along(place.left, place.right).flatMap((x) =>
        along(place.top, place.bottom).flatMap((y) => {
          if (x < seen.left || x > seen.right || y < seen.top || y > seen.bottom) return [];
          const top = document.elementFromPoint(x, y);
          return top === null || canvas.parentElement.contains(top) ? [] : [top];
        }),
      );
    });
    sheet.deleteRule(rule);
    return [...new Set(covering)].map((each) => "covers the picture: " + each.outerHTML.slice(0, 200));
  })()`);

/**
 * Returns the same, what covers a picture, and the parts too wide for a phone. The long tests, which reach every screen, check the dark theme, which
 * differs only in colors.
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
    ...(await coveringPictures(page)),
    ...dark.map((finding) => `dark: ${finding}`),
    ...(await widerThanPhone(page)),
  ];
}

/** Returns the same in the long tests only: for a state that differs little from a state of the same screen that CI checks. */
export const furtherFindingsOn = async (page: Page): Promise<string[]> =>
  isLong ? await findingsOn(page) : [];

/** Returns the text that the browser saves after a click. */
export async function savedBy(page: Page, act: () => Promise<void>): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), act()]);
  return await readFile(await download.path(), "utf8");
}
