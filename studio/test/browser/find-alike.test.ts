import type { Answer } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { draw, maskFile } from "../../../client/test/support/shapes.ts";
import { closeBrowser, openPage } from "../../../test/support/browser/studio.ts";
import { instance } from "../../../test/support/browser/studio-work.ts";
import { type ServedPage, servePage } from "../support/serve-page.ts";

const TASK = "cups.png";
const SIZE = { width: 80, height: 20 };
const BOX = [2, 2, 16, 16] as const;
const CONFIDENCES = [0.95, 0.9, 0.6];
const at = "2026-01-01T00:00:00.000Z";

const JOB: Answer<"retrieveJob"> = {
  jobId: "job_2",
  type: "image",
  processingMode: "single",
  status: "success",
  totalItems: 1,
  createdAt: at,
  updatedAt: at,
  error: null,
  tasks: [{ taskId: TASK, status: "success", error: null }],
};

const modelWith = (examples: boolean): Answer<"retrieveModel"> => ({
  id: "test",
  family: "test",
  version: "1",
  vocabulary: "open",
  attributes: false,
  regions: { box: true, points: true, clips: false, examples },
  video: false,
  formats: [],
});

describe("an object that was pointed at", () => {
  let served: ServedPage;
  beforeAll(async () => {
    served = await servePage();
  });
  afterAll(async () => {
    await closeBrowser();
    await served.close();
  });

  /** Opens the menu of the object, which a service's model has drawn. */
  async function openMenu(examples: boolean) {
    const masks = CONFIDENCES.map((confidence, i) => {
      const bitmap = draw(SIZE.width, SIZE.height, (x) => x > 20 * i && x < 20 * i + 15);
      const url = served.put(`${i}.png`, maskFile(bitmap, "0", "region"));
      return { maskIndex: i, confidence, regionIndex: 0, url };
    });
    served.put("v1/jobs", JSON.stringify({ jobId: JOB.jobId, type: "image", totalItems: 1 }));
    const manifest = {
      jobId: JOB.jobId,
      type: "image",
      prompts: [],
      items: [{ taskId: TASK, units: 1, masks }],
    };
    served.put("v1/jobs/job_2/result", JSON.stringify({ manifest, assets: [], expiresIn: 600 }));
    const { page } = await openPage(served.url);
    await page.route("**/events", async (route) => {
      const body = `data: ${JSON.stringify(JOB)}\n\n`;
      await route.fulfill({ contentType: "text/event-stream", body });
    });
    await page.waitForFunction(() => window.viewer !== undefined);
    const scene = { taskId: TASK, box: BOX, mask: masks[0]?.url ?? "", ...SIZE, model: modelWith(examples) };
    await page.evaluate(async (given) => await window.viewer.openObjects(given), scene);
    await page.getByRole("button", { name: "Change Object 1" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).waitFor();
    return page;
  }

  it("is an example of all like it, for a unit, which become objects", async () => {
    const page = await openMenu(true);
    const asked = page.waitForRequest(
      (request) => request.method() === "POST" && request.url().endsWith("/v1/jobs"),
    );
    await page.getByRole("menuitem", { name: "Find all like this, 1 unit" }).click();
    expect((await asked).postDataJSON()).toMatchObject({
      tasks: [TASK],
      regions: [{ taskId: TASK, box: BOX, findAll: true }],
      continues: "job_1",
    });
    for (const [i, confidence] of CONFIDENCES.entries()) {
      const row = instance(page, `Object ${i + 1}`);
      await row.getByText(`${100 * confidence}%`).waitFor();
    }
  });

  it("is no example for a model that takes none", async () => {
    const page = await openMenu(false);
    expect(await page.getByRole("menuitem", { name: /^Find all like this/ }).count()).toBe(0);
  });
});
