import { expect, it } from "vitest";
import { segmentBucket } from "../support/node/bucket-run.ts";

it("a bucket of 8 objects is segmented into a bucket, each once, by a command line that was killed", async () => {
  expect(await segmentBucket(8, 1)).toMatch(/^8 objects/);
});
