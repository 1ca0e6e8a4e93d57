import { iou, readMaskPng, unpackMask } from "@segmentation/masks";
import type { Page } from "playwright-core";
import { ImageResult, SegmentationClient } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLong } from "../../../inference-container/test/support/form.ts";
import { placeOfSample } from "../../../scripts/shared/studio-sample.ts";
import {
  closeBrowser,
  findingsOn,
  handleRequests,
  openStudio,
} from "../../../test/support/browser/studio.ts";
import { BROKEN_PNG, COFFEE, give, instance } from "../../../test/support/browser/studio-work.ts";
import { type SharedStack, useSharedStack } from "../../../test/support/stack/shared-stack.ts";

type Point = readonly [x: number, y: number];
/** A click, or a drag from one corner of a box to the other. */
type Place = readonly [Point] | readonly [Point, Point];

/** Time limit for a step of the page: only one that hangs exceeds it. */
const STEP_MS = 120_000;

/** A point on the saucer, whose job returns the embedding. */
const FIRST: Point = [430, 330];
/** Other things. No point is in the mask of another one, because a click there selects that. A box begins an object everywhere. */
const OTHERS: readonly Place[] = [
  [[250, 120]],
  [[365, 290]],
  [[40, 30]],
  [[480, 60]],
  [[180, 130]],
  [
    [200, 92],
    [372, 196],
  ],
  [
    [382, 64],
    [427, 215],
  ],
  [
    [183, 235],
    [262, 314],
  ],
  [
    [72, 66],
    [482, 394],
  ],
];

/** Collects the masks that the page's decode worker draws. */
const COLLECT = `
  window.decoded = [];
  window.Worker = class extends Worker {
    constructor(...how) {
      super(...how);
      this.addEventListener("message", async ({ data }) => {
        if (data?.done?.png) window.decoded.push([...new Uint8Array(await data.done.png.arrayBuffer())]);
      });
    }
  };`;

async function moveTo(page: Page, [x, y]: Point): Promise<void> {
  const place = await placeOfSample(page);
  await page.mouse.move(place.x + x * place.scale, place.y + y * place.scale);
}

async function pointAt(page: Page, [from, to]: Place): Promise<void> {
  await moveTo(page, from);
  await page.mouse.down();
  if (to !== undefined) await moveTo(page, to);
  await page.mouse.up();
}

const clickAt = (page: Page, point: Point): Promise<void> => pointAt(page, [point]);

/** The hint of a picture whose masks the browser draws, and of one whose masks the service draws. */
const IN_BROWSER = "Enter keeps all that is new for 1 unit";
const BY_SERVICE = "1 unit each. Shift-click";

const keep = (page: Page, count: number) =>
  page.getByRole("button", { name: `Keep ${count}, 1 unit`, exact: true });

/** Files without which the browser draws no masks. */
const NEEDED = [
  ["decoder", /\/decoders\//],
  ["runtime", /ort-wasm.*\.wasm$/],
  ["worker’s script", /decode\.worker-.*\.js$/],
] as const;

/** Reasons why the browser draws no masks, and how a page comes to have them. */
const SPOILED: readonly (readonly [string, (page: Page, client: SegmentationClient) => Promise<unknown>])[] =
  [
    [
      "if the job of the embedding fails",
      async (page, client) => {
        const broken = await client.upload(new Blob([BROKEN_PNG], { type: "image/png" }));
        await page.route("**/v1/jobs", async (route) => {
          const body: { tasks: string[]; formats?: string[] } | null = route.request().postDataJSON();
          if (body?.formats === undefined) return await route.fallback();
          await route.continue({ postData: JSON.stringify(body).replaceAll(body.tasks[0] ?? "", broken) });
        });
      },
    ],
    ["without WebAssembly", (page) => page.addInitScript("delete globalThis.WebAssembly;")],
    ["if the decoder can’t be loaded", (page) => page.route(/\/decoders\//, (route) => route.abort())],
    ["if the runtime can’t be loaded", (page) => page.route(/ort-wasm.*\.wasm$/, (route) => route.abort())],
    [
      "if the model returns no embeddings",
      (page) =>
        page.route("**/v1/model", async (route) => {
          const response = await route.fetch();
          const { interactive: _, ...model } = await response.json();
          await route.fulfill({ response, json: { ...model, formats: [] } });
        }),
    ],
  ];

describe("a click on a picture", () => {
  let stack: SharedStack;
  let client: SegmentationClient;
  beforeAll(async () => {
    stack = await useSharedStack();
    client = new SegmentationClient(stack);
  });
  afterAll(closeBrowser);

  const jobs = async () => (await client.api.listJobs()).items;

  async function openBounded() {
    const studio = await openStudio(stack);
    studio.page.setDefaultTimeout(STEP_MS);
    return studio;
  }

  /** Opens the sample, and points at its first object. */
  async function openPointed(script?: string): Promise<{ readonly page: Page; readonly before: number }> {
    const before = (await jobs()).length;
    // A service that has just been started stores its decoder at the first request for the model.
    await expect
      .poll(async () => (await client.api.retrieveModel()).interactive, {
        timeout: STEP_MS,
        message: "the service stores its decoder",
      })
      .toBeDefined();
    const { page, complaints } = await openBounded();
    if (script !== undefined) {
      await page.addInitScript(script);
      await page.reload();
    }
    await give(page, COFFEE);
    await page.getByText("1 unit. From then on, masks come at once").waitFor();
    await clickAt(page, FIRST);
    await instance(page, "Object 1").waitFor();
    expect(complaints).toEqual([]);
    return { page, before };
  }

  it("draws at once what the service returns, and ten objects are two jobs and two units", async () => {
    const { page, before } = await openPointed(COLLECT);
    await page.getByText(IN_BROWSER).waitFor();
    const places = OTHERS.slice(0, isLong ? OTHERS.length : 3);
    // Where the pointer rests, a preview is drawn; a click takes it, and draws nothing more.
    await moveTo(page, places[0]?.[0] ?? FIRST);
    await expect
      .poll(() => page.evaluate("window.decoded.length"), { timeout: STEP_MS, message: "a preview" })
      .toBe(1);
    for (const [i, place] of places.entries()) {
      await pointAt(page, place);
      await keep(page, i + 1).waitFor();
    }
    expect(await findingsOn(page)).toEqual([]);
    const decoded: number[][] = await page.evaluate("window.decoded");
    expect(decoded).toHaveLength(places.length);
    await page.keyboard.press("Enter");
    for (const i of places.keys()) await instance(page, `Object ${i + 2}`).waitFor();

    const [last, first, ...others] = await jobs();
    expect(others.length + 2 - before).toBe(2);
    const result = await client.result(last?.jobId ?? "");
    if (!(result instanceof ImageResult)) throw new TypeError("The job has no pictures.");
    expect(result.masks).toHaveLength(places.length);
    for (const mask of result.masks) {
      const png = await readMaskPng(Uint8Array.from(decoded[mask.region ?? 0] ?? []));
      expect(iou(unpackMask(png), await mask.bitmap()), String(OTHERS[mask.region ?? 0])).toBeGreaterThan(
        0.97,
      );
    }
    const units = await Promise.all(
      [last, first].map(async (job) => {
        const { manifest } = await client.api.retrieveJobResult({ jobId: job?.jobId ?? "" });
        return manifest.type === "image" ? manifest.items.map((item) => item.units) : [];
      }),
    );
    expect(units.flat()).toEqual([1, 1]);
  });

  it.runIf(isLong)("needs no network until it is kept, and survives a reload", async () => {
    const { page, before } = await openPointed();
    await page.getByText(IN_BROWSER).waitFor();
    await page.context().setOffline(true);
    for (const [i, place] of OTHERS.slice(0, 2).entries()) {
      await pointAt(page, place);
      await keep(page, i + 1).waitFor();
    }
    // An undone object was not paid for, so redo is free.
    await page.keyboard.press("Control+z");
    await keep(page, 1).waitFor();
    await page.getByRole("button", { name: "Redo", exact: true }).click();
    await keep(page, 2).waitFor();
    await page.context().setOffline(false);
    await page.reload();
    await instance(page, "Object 3").waitFor();
    expect((await jobs()).length - before).toBe(2);
    // The embedding is in the browser: nothing more is paid for it.
    await page.mouse.move(300, 300);
    await page.getByText(IN_BROWSER).waitFor();
  });

  it.each(isLong ? SPOILED : SPOILED.slice(0, 1))("is a separate job %s", async (_, spoil) => {
    const before = (await jobs()).length;
    const { page } = await openBounded();
    await spoil(page, client);
    await page.reload();
    await give(page, COFFEE);
    await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
    await clickAt(page, FIRST);
    await instance(page, "Object 1").waitFor();
    await page.getByText(BY_SERVICE).waitFor();
    await clickAt(page, [40, 30]);
    await instance(page, "Object 2").waitFor();
    expect((await jobs()).length - before).toBe(2);
  });

  it.runIf(isLong).each(NEEDED)(
    "is drawn here again at the next click after the %s was missing",
    async (_, url) => {
      const { page } = await openBounded();
      const allow = await handleRequests(page, url, (route) => route.fulfill({ status: 503 }));
      await give(page, COFFEE);
      await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
      await clickAt(page, FIRST);
      await instance(page, "Object 1").waitFor();
      await page.getByText(BY_SERVICE).waitFor();
      allow();
      await clickAt(page, [40, 30]);
      await instance(page, "Object 2").waitFor();
      await page.getByText(IN_BROWSER).waitFor();
      await pointAt(page, [[365, 290]]);
      await keep(page, 1).waitFor();
    },
  );

  it.runIf(isLong)("does not load a decoder again that the policy forbids", async () => {
    const { page } = await openBounded();
    let loads = 0;
    await handleRequests(page, /decode\.worker-.*\.js$/, async (route) => {
      loads += 1;
      const response = await route.fetch();
      const headers = { ...response.headers(), "content-security-policy": "script-src 'self'" };
      await route.fulfill({ response, headers });
    });
    await give(page, COFFEE);
    await page.getByRole("toolbar", { name: "Pointer" }).waitFor();
    await clickAt(page, FIRST);
    await instance(page, "Object 1").waitFor();
    await page.getByText(BY_SERVICE).waitFor();
    await clickAt(page, [40, 30]);
    await instance(page, "Object 2").waitFor();
    expect(loads).toBe(1);
  });
});
