import { describe, expect, it } from "vitest";
import { BucketEvent, storedInputOf } from "../../../../src/uploads/rules/bucket-event.ts";
import { storedEvent } from "../../../../scripts/local/stack/bucket-events.ts";

const S3 = "/cdn-cgi/local/r2/s3/segmentation-media";
const put = (path: string, headers = {}, method = "PUT", statusCode = 200) =>
  storedEvent(
    {
      method,
      url: `${S3}/${path}${path.includes("?") ? "&" : "?"}X-Amz-Signature=0f`,
      headers: { "content-length": "12", ...headers },
    },
    { statusCode, headers: { etag: '"c846"' } },
    Date.UTC(2026, 0, 2),
  );

describe("the local storage", () => {
  it("reports an uploaded file as R2 does", () => {
    const event = put("inputs/acc_1/cat%20and%20dog.png");
    expect(event).toEqual({
      account: "local",
      action: "PutObject",
      bucket: "segmentation-media",
      object: { key: "inputs/acc_1/cat and dog.png", size: 12, eTag: "c846" },
      eventTime: "2026-01-02T00:00:00.000Z",
    });
    expect(storedInputOf(BucketEvent.parse(event), "segmentation-media")).toEqual({
      accountId: "acc_1",
      taskId: "cat and dog.png",
      size: 12,
      etag: '"c846"',
    });
  });

  it.each([
    ["an output", put("outputs/acc_1/job_1/x")],
    ["a download", put("inputs/acc_1/cat.png", {}, "GET")],
    ["a PUT that was refused", put("inputs/acc_1/cat.png", {}, "PUT", 403)],
    ["a part of an upload", put("inputs/acc_1/cat.png?partNumber=1&uploadId=u")],
    ["a body of unknown length", put("inputs/acc_1/cat.png", { "content-length": undefined })],
  ])("tells nothing of %s", (_, event) => {
    expect(event).toBeNull();
  });
});
