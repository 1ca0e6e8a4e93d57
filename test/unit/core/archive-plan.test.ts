import { describe, expect, it } from "vitest";
import { planArchive } from "../../../src/core/archive-plan.ts";
import type { FinishedJob } from "../../../src/core/job/answers.ts";
import { IMAGE_OUTPUT, imageJob } from "./job/a-job.ts";

const mask = (maskIndex: number) => ({
  maskIndex,
  promptIndex: 0,
  confidence: 0.5,
  file: `masks/${maskIndex}.png`,
});
const job = (lease = 1, masks = 2): FinishedJob => ({
  definition: imageJob(["a"]),
  tasks: [
    {
      taskId: "a",
      lease,
      output: { ...IMAGE_OUTPUT, masks: Array.from({ length: masks }, (_, i) => mask(i)) },
    },
  ],
});

describe("an archive's plan", () => {
  it("names the manifest first, then each asset by its key", async () => {
    const { names, assets, manifest } = await planArchive(job());
    expect(names).toEqual(["output_manifest.json", "masks/a/0.png", "masks/a/1.png"]);
    expect(assets.map(({ key }) => key)).toEqual(names.slice(1));
    expect(JSON.parse(new TextDecoder().decode(manifest))).toMatchObject({
      items: [{ masks: [{ url: "masks/a/0.png" }, { url: "masks/a/1.png" }] }],
    });
  });

  it("has the same digest as another only if both hold the same files from the same places", async () => {
    const { digest } = await planArchive(job());
    expect((await planArchive(job())).digest).toBe(digest);
    expect((await planArchive(job(1, 3))).digest).not.toBe(digest);
    expect((await planArchive(job(2))).digest).not.toBe(digest);
    const { tasks, definition } = job();
    const other = { definition: { ...definition, prompts: ["dog"] }, tasks };
    expect((await planArchive(other)).digest).not.toBe(digest);
  });
});
