import { createReadStream, readFileSync } from "node:fs";
import { Readable } from "node:stream";
import type {
  Answer,
  CallOptions,
  ErrorCode,
  JobHandle,
  OperationInput,
  SegmentationClient,
} from "segmentation-client";
import { ImageResult as NodeResult, type SegmentationClient as NodeClient } from "segmentation-client/node";
import sharp from "sharp";
import { describe, expectTypeOf, it } from "vitest";

/** Code that must compile; it is never called. */
export async function taken(client: SegmentationClient, node: NodeClient): Promise<void> {
  const bytes: Uint8Array = new Uint8Array();
  const buffer: Buffer = Buffer.from("a");
  await client.segment(bytes, "cat");
  await client.segment(buffer, "cat");
  await client.segment(readFileSync("a.png"), "cat");
  await client.segment(await sharp("a.heic").png().toBuffer(), "cat");
  await client.segment([bytes, buffer, new ArrayBuffer(1), new Blob([]), new File([], "a.png")], "cat");
  await client.segment(await fetch("https://example.com/a.png"), "cat");
  await client.segment({ url: "https://example.com/a.png" }, "cat", {
    timeoutMs: 1,
    maxRetries: 2,
    headers: { a: "b" },
  });
  await client.segment({ stream: new ReadableStream<Uint8Array>(), name: "a.png", type: "image/png" }, "cat");
  await node.segmentVideo({ stream: Readable.toWeb(createReadStream("a.mp4")) }, "cat", {
    idempotencyKey: "a",
  });
  await client.upload(bytes, { idempotencyKey: "a", onRetry: () => {}, signal: undefined });
}

/** Code that must not compile; it is compiled with the other tests, and never called. */
export function refused(client: SegmentationClient, node: NodeClient): void {
  // @ts-expect-error a field of a video job
  void client.segment("https://example.com/a.png", "cat", { fps: 2 });
  // @ts-expect-error a field that no job has
  void client.segment("https://example.com/a.png", "cat", { treshold: 0.5 });
  // @ts-expect-error a region that is both
  void client.segment("https://example.com/a.png", [], { regions: [{ box: [0, 0, 1, 1], points: [] }] });
  const box: [number, number, number, number] = [0, 0, 1, 1];
  // @ts-expect-error a time in a picture
  void client.segment("https://example.com/a.png", [], { regions: [{ box, timeSeconds: 1 }] });
  // @ts-expect-error an input in a video, which has one
  void client.segmentVideo("https://example.com/a.mp4", [], { regions: [{ box, input: 0 }] });
  // @ts-expect-error a value of another type
  void client.api.listJobs({ limit: "2" });
  // @ts-expect-error an unknown status
  void client.api.listJobs({ status: "done" });
  // @ts-expect-error no jobId
  void client.api.retrieveJob({});
  // @ts-expect-error an unknown operation
  void client.api.retrieveJobs;
  // @ts-expect-error a job of no type
  void client.api.createJob({ prompts: ["cat"], tasks: [] });
  // @ts-expect-error a job is no list
  void client.api.retrieveJob({ jobId: "job" })[Symbol.asyncIterator];
  // @ts-expect-error an unknown format
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
    expectTypeOf<Awaited<ReturnType<NodeClient["submit"]>>>().toEqualTypeOf<JobHandle<NodeResult>>();
    expectTypeOf<ReturnType<SegmentationClient["job"]>>().toEqualTypeOf<JobHandle>();
    expectTypeOf<NodeClient>().toExtend<SegmentationClient>();
  });

  it("let every call have a separate signal, time limit, retries and headers", () => {
    type Calls = Pick<
      SegmentationClient,
      | "segment"
      | "segmentVideo"
      | "submit"
      | "submitVideo"
      | "upload"
      | "result"
      | "watchJob"
      | "archive"
      | "download"
    >;
    type LastOf<Call> = Call extends (...given: [...infer _, (infer Last)?]) => unknown ? Last : never;
    type Handle = Pick<JobHandle, "status" | "events" | "result" | "cancel" | "pictures">;
    expectTypeOf<CallOptions>().toExtend<LastOf<Calls[keyof Calls]>>();
    expectTypeOf<CallOptions>().toExtend<LastOf<Handle[keyof Handle]>>();
  });

  it("know every code of an error", () => {
    expectTypeOf<"trial_exhausted" | "not_an_image" | "archive_failed" | "timed_out">().toExtend<ErrorCode>();
    expectTypeOf<"some_code">().not.toExtend<ErrorCode>();
  });
});
