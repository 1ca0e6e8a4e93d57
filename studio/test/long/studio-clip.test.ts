import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SegmentationClient } from "segmentation-client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { panClip } from "../../../test/support/media/pan-clip.ts";
import { type SpawnedStack, spawnStack } from "../../../test/support/stack/spawn-stack.ts";
import { savedBy, closeBrowser, openStudio, findingsOn } from "../../../test/support/browser/studio.ts";

describe("a video's job in the studio", () => {
  let folder: string;
  let stack: SpawnedStack;
  let client: SegmentationClient;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "studio-clip-"));
    stack = await spawnStack({ stateDir: join(folder, "state") });
    client = new SegmentationClient(stack);
  });
  afterAll(async () => {
    await closeBrowser();
    await stack.stop();
    await rm(folder, { recursive: true });
  });

  it("steps by its processed frames, plays from the file that the service has, and gives its masks.json", async () => {
    const result = await client.segmentVideo(panClip(1), "cat", { numFrames: 2 });
    const { page } = await openStudio(stack, `/studio/jobs/${result.jobId}`, { acceptDownloads: true });
    await page.getByText("Frame 1 of 2").waitFor();
    await page.getByRole("button", { name: "Next processed frame" }).click();
    await page.getByText("Frame 2 of 2").waitFor();
    await page.getByRole("button", { name: /^cat 1/ }).click();
    await page.getByText("Frame 1 of 2").waitFor();
    expect(await findingsOn(page)).toEqual([]);
    await page.getByRole("button", { name: "Play" }).click();
    await page.getByText("Frame 2 of 2").waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const text = await savedBy(
      page,
      async () => await page.getByRole("button", { name: "Download masks.json" }).click(),
    );
    expect(JSON.parse(text)).toEqual(result.masksJson);

    // Another run has all that the job had, and the video is where it was.
    const row = page.getByRole("listitem").filter({ hasText: "Video with masks" });
    await row.getByRole("button", { name: "Run again to include it, 2 units" }).click();
    await page
      .getByRole("dialog", { name: "Run it again?" })
      .getByRole("button", { name: "Run again" })
      .click();
    // The path stays that of the first job, to which the other run adds.
    const added = async () => (await client.api.listJobs({ continues: result.jobId })).items;
    await expect.poll(async () => (await added()).length).toBe(1);
    const [again] = await added();
    await page.waitForResponse((response) => response.url().endsWith(`/v1/jobs/${again?.jobId}/result`));
    await page.getByRole("button", { name: "Play", disabled: false }).waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const [preview] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download Video with masks" }).click(),
    ]);
    expect(preview.suggestedFilename()).toMatch(/\.mp4$/);
    expect(await page.getByText("Frame 2 of 2").count()).toBe(1);
  });
});
