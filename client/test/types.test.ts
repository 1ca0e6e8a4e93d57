import type { Answer, ErrorCode, OperationInput, SegmentationClient } from "segmentation-client";
import { ImageResult as NodeResult, type SegmentationClient as NodeClient } from "segmentation-client/node";
import { describe, expectTypeOf, it } from "vitest";

/** What must not compile; it is compiled with the other tests, and never called. */
export function refused(client: SegmentationClient, node: NodeClient): void {
  // @ts-expect-error a field of a video job
  void client.segment("https://example.com/a.png", "cat", { fps: 2 });
  // @ts-expect-error a field that no job has
  void client.segment("https://example.com/a.png", "cat", { treshold: 0.5 });
  // @ts-expect-error a region that is both
  void client.segment("https://example.com/a.png", [], { regions: [{ box: [0, 0, 1, 1], points: [] }] });
  // @ts-expect-error a value of another type
  void client.api.listJobs({ limit: "2" });
  // @ts-expect-error a status that there is not
  void client.api.listJobs({ status: "done" });
  // @ts-expect-error no jobId
  void client.api.retrieveJob({});
  // @ts-expect-error an operation that there is not
  void client.api.retrieveJobs;
  // @ts-expect-error a job of no type
  void client.api.createJob({ prompts: ["cat"], tasks: [] });
  // @ts-expect-error a job is no list
  void client.api.retrieveJob({ jobId: "job" })[Symbol.asyncIterator];
  // @ts-expect-error a format that there is not
  void node.segment("a.png", "cat").then((result) => result.save("out", { formats: ["bmp"] }));
}

describe("the types", () => {
  it("are the contract's", () => {
    expectTypeOf<Answer<"retrieveJob">["status"]>().toEqualTypeOf<
      "queued" | "processing" | "success" | "failed"
    >();
    expectTypeOf<OperationInput<"retrieveJob">>().toExtend<{ jobId: string }>();
    expectTypeOf<OperationInput<"listJobs">>().toHaveProperty("nextToken");
    expectTypeOf<Awaited<ReturnType<NodeClient["segment"]>>>().toEqualTypeOf<NodeResult>();
  });

  it("know every code of an error", () => {
    expectTypeOf<"trial_exhausted" | "not_an_image" | "archive_failed" | "timed_out">().toExtend<ErrorCode>();
    expectTypeOf<"some_code">().not.toExtend<ErrorCode>();
  });
});
