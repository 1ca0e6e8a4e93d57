import { describe, expect, it } from "vitest";
import { BucketEvent, storedInputOf } from "../../../src/uploads/rules/bucket-event.ts";

/** A message as Cloudflare's documentation shows it. */
const message = (changes: object = {}, object: object = {}) => ({
  account: "3f4b7e3dcab231cbfdaa90a6a28bd548",
  action: "PutObject",
  bucket: "media",
  object: {
    key: "inputs/acc_1/cat.png",
    size: 65_536,
    eTag: "c846ff7a18f28c2e262116d6e8719ef0",
    ...object,
  },
  eventTime: "2026-05-24T19:36:44.379Z",
  ...changes,
});
const read = (body: unknown) => storedInputOf(BucketEvent.parse(body), "media");

describe("an event of the bucket", () => {
  it.each(["PutObject", "CopyObject", "CompleteMultipartUpload"])(
    "names the upload that is stored, with its size and ETag: %s",
    (action) => {
      expect(read(message({ action }))).toEqual({
        accountId: "acc_1",
        taskId: "cat.png",
        size: 65_536,
        etag: '"c846ff7a18f28c2e262116d6e8719ef0"',
      });
    },
  );

  it("may tell its time in any zone", () => {
    expect(read(message({ eventTime: "2026-05-24T21:36:44.379+02:00" }))).not.toBeNull();
  });

  it.each([
    ["another bucket", message({ bucket: "other" })],
    ["a deletion", message({ action: "DeleteObject", object: { key: "inputs/acc_1/cat.png" } })],
    ["a lifecycle's deletion", message({ action: "LifecycleDeletion" })],
    ["an output", message({}, { key: "outputs/acc_1/job_1/cat.png/1/masks/0.png" })],
    ["a key below an upload's", message({}, { key: "inputs/acc_1/cat.png/more" })],
    ["a key without an upload", message({}, { key: "inputs/acc_1/" })],
    ["an object without a size", message({}, { size: undefined })],
  ])("is none of ours: %s", (_, body) => {
    expect(read(body)).toBeNull();
  });
});
