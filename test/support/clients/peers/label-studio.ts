/** Label Studio from PyPI, on this machine, and a person who works in its pages. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page, Response } from "playwright-core";
import { vi } from "vitest";
import { z } from "zod";
import { claimPort } from "../../../../scripts/shared/port.ts";
import { present } from "../../at.ts";

const PERSON = { email: "person@example.com", password: "a password of some length" };

/** Time that the person waits, in milliseconds: a page shows a task once its predictions are there. */
const PATIENCE_MS = 180_000;

export interface LabelStudio {
  readonly url: string;
  readonly end: () => Promise<void>;
}

/** Starts Label Studio on a free port of this machine, with one person, and its data in the folder. */
export async function startLabelStudio(bin: string, folder: string): Promise<LabelStudio> {
  const port = await claimPort(0);
  const log = openSync(join(folder, "studio.log"), "w");
  const where = `--internal-host 127.0.0.1 --port ${port} --data-dir ${join(folder, "studio")} --no-browser`;
  const who = ["--username", PERSON.email, "--password", PERSON.password];
  // By default it does not call a service on its machine.
  const local = { ML_BLOCK_LOCAL_IP: "false", USE_DEFAULT_BANNED_SUBNETS: "false" };
  const env = { ...process.env, ...local, COLLECT_ANALYTICS: "false" };
  const started = spawn(join(bin, "label-studio"), ["start", ...where.split(" "), ...who], {
    env,
    stdio: ["ignore", log, log],
    detached: true,
  });
  const ended = once(started, "exit");
  const end = async (): Promise<void> => {
    if (started.exitCode === null) process.kill(-present(started.pid, "pid"), "SIGKILL");
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  const isUp = async (): Promise<boolean | undefined> => (await fetch(`${url}/health`).catch(() => null))?.ok;
  await vi.waitUntil(isUp, { timeout: 580_000, interval: 1_000 }).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return { url, end };
}

/** A person at Label Studio's pages. */
export interface Person {
  readonly page: Page;
  readonly token: string;
  /** Posts to Label Studio's API, as its pages do. */
  readonly post: (path: string, body: PostedBody) => Promise<unknown>;
}
interface PostedBody {
  readonly data?: object;
  readonly multipart?: Record<string, { name: string; mimeType: string; buffer: Buffer }>;
}

export async function signIn(browser: Browser, url: string): Promise<Person> {
  const page = await browser.newPage({ baseURL: url });
  page.setDefaultTimeout(PATIENCE_MS);
  // Blocks the pages' analytics.
  await page.route(
    ({ hostname }) => hostname !== "127.0.0.1",
    (route) => route.abort(),
  );
  await page.goto("/user/login/");
  await page.locator("input[name=email]").fill(PERSON.email);
  await page.locator("input[name=password]").fill(PERSON.password);
  await page.locator("input[name=password]").press("Enter");
  await page.waitForURL(/projects|\/$/);
  const cookies = await page.context().cookies();
  const csrf = cookies.find(({ name }) => name === "csrftoken")?.value ?? "";
  const headers = { "x-csrftoken": csrf, referer: url };
  const post = async (path: string, body: PostedBody): Promise<unknown> => {
    const answer = await page.request.post(path, { headers, ...body });
    if (!answer.ok()) throw new Error(`${path}: ${answer.status()} ${await answer.text()}`);
    return await answer.json();
  };
  const { token } = z.object({ token: z.string() }).parse(await post("/api/token/", {}));
  return { page, token, post };
}

/** Fills in the form of a project's settings that connects a model, and sends it. */
export async function connectModel(page: Page, project: number, backend: string, key: string): Promise<void> {
  await page.goto(`/projects/${project}/settings/ml`);
  await page.getByRole("button", { name: "Add machine learning model" }).click();
  await page.locator("input[name=title]").fill("segmentation");
  await page.locator("input[name=url]").fill(backend);
  await page.getByText("No Authentication").first().click();
  await page.getByRole("option", { name: "Basic Authentication" }).click();
  await page.locator("input[name=basic_auth_user]").fill("anybody");
  await page.locator("input[name=basic_auth_pass]").fill(key);
  await page.getByText("Interactive preannotations").click();
  await page.getByRole("button", { name: "Save machine learning form" }).click();
}

/** A click on a picture, in shares of its width and height; on the background if `Alt` is held. */
export interface Click {
  readonly x: number;
  readonly y: number;
  readonly isBeside?: boolean;
}

/**
 * Opens a task, switches Auto-Annotation on, clicks with Auto-Detect and a label, accepts the model's suggestion after the last
 * click, and submits it. Returns the page's requests to the model, and the answers.
 */
export async function clickAndSubmit(
  page: Page,
  task: string,
  label: Locator,
  clicks: readonly Click[],
): Promise<{ readonly asked: unknown; readonly given: unknown }> {
  await page.goto(task);
  await page.getByText("Auto-Annotation").click();
  let answer: Response | undefined;
  for (const { x, y, isBeside } of clicks) {
    await label.click();
    await page.locator(".lsf-tool_smart").first().click();
    const picture = present(await page.locator(".konvajs-content").first().boundingBox(), "picture");
    if (isBeside) await page.keyboard.down("Alt");
    [answer] = await Promise.all([
      page.waitForResponse(/\/interactive-annotating$/),
      page.mouse.click(picture.x + x * picture.width, picture.y + y * picture.height),
    ]);
    if (isBeside) await page.keyboard.up("Alt");
    await page.locator(".lsf-auto-accept__spinner").waitFor({ state: "detached" });
  }
  await page.getByTestId("bottombar-accept-suggestions-button").click();
  await page.getByTestId("bottombar-submit-button").click();
  await page.getByText("Annotation saved successfully", { exact: true }).waitFor();
  return { asked: answer?.request().postDataJSON(), given: await answer?.json() };
}
