import type { JobStatus } from "segmentation-client";
import { describe, expect, it } from "vitest";
import { runningJob, segmentingWords } from "../../../src/screens/segment/stage/progress-words.ts";

const MINUTE = 60_000;
const CREATED = Date.parse("2026-11-22T12:00:00.000Z");

/** A job whose tasks are in these states. */
const jobOf = (jobId: string, statuses: readonly JobStatus["status"][], news: Partial<JobStatus> = {}) =>
  ({
    jobId,
    type: "image",
    processingMode: "batch",
    status: statuses.every((status) => status === "queued") ? "queued" : "processing",
    totalItems: statuses.length,
    createdAt: new Date(CREATED).toISOString(),
    updatedAt: new Date(CREATED).toISOString(),
    error: null,
    tasks: statuses.map((status, i) => ({ taskId: `${i}`, status, error: null })),
    ...news,
  }) satisfies JobStatus;

const wordsOf = (job: JobStatus | null, share: number, minutes = 0): string =>
  segmentingWords(job, share, CREATED + minutes * MINUTE);

describe("the progress of a search in words", () => {
  it("goes from Starting to Queued to Segmenting and never back, also after an earlier search", () => {
    const steps = [
      // The service has not answered yet: the earlier search is still there.
      jobOf("earlier", ["success"], { status: "success" }),
      jobOf("later", ["queued"]),
      jobOf("later", ["processing"]),
    ];
    for (const first of [null, steps[0] ?? null]) {
      const seen = [first, ...steps.slice(1)].map((job) => wordsOf(runningJob(job, "later"), 0));
      expect(seen).toEqual(["Starting", "Queued", "Segmenting"]);
    }
  });

  it("counts the pictures that have ended, and says how much time is left", () => {
    const statuses = Array.from({ length: 30 }, (_, i): JobStatus["status"] =>
      i < 12 ? "success" : "queued",
    );
    const failed = statuses.with(3, "failed");
    expect(wordsOf(jobOf("job", failed), 0.4, 2)).toBe("Segmenting: 12 of 30 pictures, about 3 minutes left");
    expect(wordsOf(jobOf("job", statuses), 0.05, 2)).toBe("Segmenting: 12 of 30 pictures");
  });

  it("says of a video how much is done once that is known", () => {
    const video = jobOf("job", ["processing"], { type: "video" });
    expect(wordsOf(video, 0)).toBe("Segmenting");
    expect(wordsOf(video, 0.25, 1)).toBe("Segmenting: 25% of the frames, about 3 minutes left");
  });
});
