import { expect, it } from "vitest";
import { segmentBucket } from "../support/node/bucket-run.ts";

it("a bucket of 30 objects is segmented into a bucket, each once, by a command line that was killed", async () => {
  expect(await segmentBucket(30, 1)).toMatch(/^30 objects/);
});
