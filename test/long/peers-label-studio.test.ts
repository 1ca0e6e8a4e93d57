/** Label Studio itself, from PyPI, in the place of the tools that the short tests play. Needs Python 3.10 or newer with venv, and PyPI. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { polygonsOfRuns, runsOfRle } from "@segmentation/masks";
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { createClient } from "../../scripts/client/api-client.ts";
import { needChromium } from "../../scripts/shared/chromium.ts";
import { PROJECT_ROOT } from "../../scripts/shared/root.ts";
import { claimPort } from "../../scripts/stack/port.ts";
import { only, present } from "../support/at.ts";
import { PLANTED } from "../support/chaos/models.ts";
import { pythonPackages } from "../support/node/peers/install.ts";
import { type SpawnedStack, spawnStack } from "../support/node/spawn-stack.ts";

const exec = promisify(execFile);
const PICTURE = join(PROJECT_ROOT, "samples/coffee.png");
const PERSON = { email: "person@example.com", password: "a password of some length" };
/** Where the picture is clicked, in percent. */
const CLICK = { x: 20, y: 70 };

const Walk = z.object({
  project: z.int(),
  task: z.int(),
  state: z.tuple([z.literal("CO"), z.string().min(1)]),
  prediction: z.tuple([z.string().min(1), z.int().positive(), z.string()]),
  pointed: z.object({ data: z.object({ result: z.array(z.looseObject({ type: z.string() })).min(1) }) }),
});
const Coco = z.object({
  annotations: z.array(
    z.object({
      bbox: z.array(z.number()),
      segmentation: z.union([
        z.array(z.array(z.number())),
        z.object({ size: z.array(z.number()), counts: z.string() }),
      ]),
    }),
  ),
});

describe("Label Studio itself", () => {
  let folder: string;
  let studio: string;
  let endStudio: () => Promise<void>;
  let browser: Browser;
  let page: Page;
  let token: string;
  let bin: string;
  let stack: SpawnedStack;

  /** Starts Label Studio on a free port of this machine, with a person in it. */
  async function startStudio(): Promise<void> {
    const port = await claimPort(0);
    const log = openSync(join(folder, "studio.log"), "w");
    const where = `--internal-host 127.0.0.1 --port ${port} --data-dir ${join(folder, "studio")} --no-browser`;
    const who = ["--username", PERSON.email, "--password", PERSON.password];
    // It would not call a service on its own machine otherwise.
    const local = { ML_BLOCK_LOCAL_IP: "false", USE_DEFAULT_BANNED_SUBNETS: "false" };
    const env = { ...process.env, ...local, COLLECT_ANALYTICS: "false" };
    const started = spawn(join(bin, "label-studio"), ["start", ...where.split(" "), ...who], {
      env,
      stdio: ["ignore", log, log],
      detached: true,
    });
    const ended = once(started, "exit");
    endStudio = async () => {
      if (started.exitCode === null) process.kill(-present(started.pid, "pid"), "SIGKILL");
      await ended;
    };
    studio = `http://127.0.0.1:${port}`;
    await vi.waitUntil(async () => (await fetch(`${studio}/health`).catch(() => null))?.ok, {
      timeout: 580_000,
      interval: 1_000,
    });
  }

  /** Signs the person in, and gets a personal access token. */
  async function signIn(): Promise<void> {
    page = await browser.newPage();
    await page.goto(`${studio}/user/login/`);
    await page.locator("input[name=email]").fill(PERSON.email);
    await page.locator("input[name=password]").fill(PERSON.password);
    await page.locator("input[name=password]").press("Enter");
    await page.waitForURL(/projects|\/$/);
    const cookies = await page.context().cookies();
    const csrf = cookies.find(({ name }) => name === "csrftoken")?.value ?? "";
    const headers = { "x-csrftoken": csrf, referer: studio };
    const made = await page.request.post(`${studio}/api/token/`, { headers });
    token = z.object({ token: z.string() }).parse(await made.json()).token;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "label-studio-"));
    bin = await pythonPackages("label-studio==1.23.2");
    await startStudio();
    browser = await needChromium();
    await signIn();
    const start = (env: Record<string, string>) =>
      spawnStack({
        stateDir: join(folder, "state"),
        launcher: "test/support/chaos/start.ts",
        env: { ...PLANTED.env, CHAOS_SERVICE: PLANTED.service, ...env },
      });
    stack = await start({});
    const headers = { authorization: `Bearer ${stack.apiKey}` };
    const account = await (await fetch(`${stack.baseUrl}/v1/account`, { headers })).json();
    const { accountId } = z.object({ accountId: z.string() }).parse(account);
    await stack.stop();
    stack = await start({
      LABEL_STUDIO_URL: studio,
      LABEL_STUDIO_TOKEN: token,
      LABEL_STUDIO_ACCOUNTS: accountId,
    });
  });
  afterAll(async () => {
    await browser.close();
    await stack.kill();
    await endStudio();
    await rm(folder, { recursive: true });
  });

  it("predicts for its tasks, is answered a click, and exports what the service found, from files of its own [A21-1 A21-5]", async () => {
    const script = join(PROJECT_ROOT, "test/support/node/peers/label_studio.py");
    const env = {
      ...process.env,
      PICTURE,
      CLICK: JSON.stringify(CLICK),
      LABEL_STUDIO_TOKEN: token,
      SEGMENTATION_API_KEY: stack.apiKey,
    };
    const { stdout } = await exec(join(bin, "python"), [script, studio, stack.baseUrl, folder], { env });
    const walks = z.array(Walk).length(3).parse(JSON.parse(stdout));
    for (const [i, form] of ["brushlabels", "polygonlabels", "rectanglelabels"].entries()) {
      expect(walks[i]?.prediction[2]).toBe(form);
      expect(walks[i]?.pointed.data.result).toContainEqual(expect.objectContaining({ type: form }));
    }

    const client = createClient(stack);
    const results = await Promise.all(
      (await client.listJobs()).items.map(({ jobId }) => client.retrieveJobResult(jobId)),
    );
    const ours = present(
      results.find(({ manifest }) => manifest.prompts.length > 0),
      "job with words",
    );
    const asset = ours.assets.find(({ key }) => key.startsWith("annotations/"));
    const annotations = Coco.parse(await (await fetch(present(asset, "annotations").url)).json()).annotations;
    const exported = async (form: string) =>
      Coco.parse(JSON.parse(await readFile(join(folder, form), "utf8")));

    const mask = await pixelsOf(await (await fetch(only(only(ours.manifest.items).masks).url)).arrayBuffer());
    expect(await pixelsOf(await readFile(join(folder, "brushlabels")))).toEqual(mask);
    const rectangles = await exported("rectanglelabels");
    const near = (numbers: readonly number[]) => numbers.map((each) => expect.closeTo(each, 6));
    expect(rectangles.annotations.map(({ bbox }) => bbox)).toEqual(annotations.map(({ bbox }) => near(bbox)));
    const outlines = annotations.flatMap(({ segmentation }) =>
      "counts" in segmentation ? polygonsOfRuns(runsOfRle(segmentation), 1.5) : [],
    );
    const polygons = await exported("polygonlabels");
    expect(polygons.annotations.map(({ segmentation }) => segmentation)).toEqual(
      outlines.map(({ outline }) => [near(outline)]),
    );
  });
});

async function pixelsOf(png: Uint8Array | ArrayBuffer): Promise<Buffer> {
  return await sharp(png).extractChannel(0).raw().toBuffer();
}
