import { expect, it } from "vitest";
import { segmentBucket } from "../support/node/bucket-run.ts";

it("a bucket of 8 objects is segmented into a bucket, each once, by a command line that was killed", async () => {
  expect(await segmentBucket({ objects: 8, kills: 1, by: "prefix" })).toMatch(/^8 objects/);
});
