import { describe, expect, it } from "vitest";
import {
  inspectionRefusal,
  ownershipRefusal,
  trialFormatRefusal,
  uploadRefusal,
} from "../../../../src/jobs/rules/admission.ts";
import type { ServiceError } from "../../../../src/shared/errors.ts";
import { sniffMedia } from "../../../../src/shared/bucket/media-type.ts";
import { mostBytesOf } from "../../../../src/uploads/rules/upload.ts";
import { UNUSED, TERMS, codeOf, clip, request, proposed, taskIds, NOW } from "./proposed-jobs.ts";

const DAY = 86_400_000;

describe("an account whose jobs are refused because of their uploads", () => {
  /** The refusal of an account that may have twenty tasks per day, and whose refused jobs cost this many inspections on a day. */
  const refusal = (inspections: number, day = NOW / DAY): ServiceError | null =>
    inspectionRefusal(proposed("trial", request()), { ...UNUSED, refusedInspections: { day, inspections } });

  it("may inspect as many uploads a day as it may have tasks, and is then asked to retry the next day", () => {
    expect(refusal(19)).toBeNull();
    expect(refusal(20)).toMatchObject({
      code: "daily_limit_reached",
      message: expect.stringContaining("Upload every file before you create its job."),
      hints: { retryAfterSeconds: 86_400 },
    });
    expect(refusal(20, NOW / DAY - 1)).toBeNull();
  });
});

describe("an upload", () => {
  const bytes = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const png = { size: 1_000, etag: '"e"', media: sniffMedia(bytes("\x89PNG\r\n\x1a\n")) };
  const mp4 = { size: 5_000, etag: '"e"', media: sniffMedia(bytes("\0\0\0\x18ftypisom")) };
  const unknown = { size: 5, etag: '"e"', media: sniffMedia(bytes("hello")) };
  const [task = "", second = ""] = taskIds(2, "png");
  const { job } = proposed("paid", request({ tasks: [task, second] }));
  const { job: video } = proposed("paid", clip());

  it("is refused if the account does not own it, with any other uploads", () => {
    const owned = [{ taskId: task, contentType: "video/mp4" }];
    expect(codeOf(ownershipRefusal(job, owned))).toBe("task_not_owned");
  });

  it("of the other kind is refused by its content type and named; application/octet-stream fits either", () => {
    const of = (contentType: string) => [
      { taskId: task, contentType: "application/octet-stream" },
      { taskId: second, contentType },
    ];
    expect(ownershipRefusal(job, of("image/x-raw"))).toBeNull();
    expect(ownershipRefusal(job, of("video/mp4"))).toMatchObject({
      code: "task_type_mismatch",
      message: expect.stringMatching(`^${second} is not a picture`),
    });
    expect(ownershipRefusal(video, [{ taskId: task, contentType: "image/png" }])?.message).toContain(
      `${task} is not a video`,
    );
  });

  it("is refused if it never arrived, is a byte too large, or has the wrong type", () => {
    expect(uploadRefusal(TERMS, job, task, png)).toBeNull();
    expect(uploadRefusal(TERMS, job, task, null)).toMatchObject({
      code: "upload_incomplete",
      message: expect.stringContaining(task),
    });
    expect(uploadRefusal(TERMS, job, task, { ...png, size: 1_001 })).toMatchObject({
      code: "upload_too_large",
      message: expect.stringContaining(`${task} is larger than 0.001 MB`),
    });
    expect(uploadRefusal(TERMS, video, task, mp4)).toBeNull();
    expect(uploadRefusal(TERMS, job, task, { ...mp4, size: 10 })?.message).toContain(
      `${task} is not a picture`,
    );
    expect(uploadRefusal(TERMS, video, task, png)?.message).toContain(`${task} is not a video`);
  });

  it("fits some job up to the limit of its content type, and as application/octet-stream up to the larger one", () => {
    expect(mostBytesOf(TERMS, "image/png")).toBe(1_000);
    expect(mostBytesOf(TERMS, "VIDEO/mp4")).toBe(5_000);
    expect(mostBytesOf(TERMS, "application/octet-stream")).toBe(5_000);
    const pictures = { ...TERMS, maxBytes: { image: 9_000, video: 5_000 } };
    expect(mostBytesOf(pictures, "application/octet-stream")).toBe(9_000);
  });

  it("of unknown bytes passes: the inference service reports it for that task alone", () => {
    expect(uploadRefusal(TERMS, job, task, unknown)).toBeNull();
    expect(uploadRefusal(TERMS, video, task, unknown)).toBeNull();
  });

  it("of a trial has to be a JPEG, PNG or WebP by its bytes, and the first that is not is named", () => {
    const asked = request({ tasks: [task, second] });
    const jpeg = { size: 9, etag: '"e"', media: sniffMedia(bytes("\xff\xd8\xff\xe0")) };
    const webp = { size: 9, etag: '"e"', media: sniffMedia(bytes("RIFF\0\0\0\0WEBP")) };
    const gif = { size: 9, etag: '"e"', media: sniffMedia(bytes("GIF89a")) };
    const avif = { size: 9, etag: '"e"', media: sniffMedia(bytes("\0\0\0\x1cftypavif")) };
    const heic = { size: 9, etag: '"e"', media: sniffMedia(bytes("\0\0\0\x1cftypheic")) };
    const trial = proposed("trial", asked);
    expect(trialFormatRefusal(TERMS, trial, UNUSED, [png, jpeg])).toBeNull();
    expect(trialFormatRefusal(TERMS, trial, UNUSED, [webp, gif])).toMatchObject({
      code: "trial_format_unsupported",
      message: expect.stringContaining(second),
      hints: { remainingTokens: 100, requestedTokens: 2 },
    });
    expect(codeOf(trialFormatRefusal(TERMS, trial, UNUSED, [png, unknown]))).toBe("trial_format_unsupported");
    const adviceFor = (odd: typeof gif) =>
      trialFormatRefusal(TERMS, trial, UNUSED, [png, odd])?.message.split(". ")[1];
    expect([gif, avif].map(adviceFor)).toEqual(["Convert it, or upgrade.", "Convert it, or upgrade."]);
    expect([heic, unknown].map(adviceFor)).toEqual(["Convert it.", "Convert it."]);
    expect(trialFormatRefusal(TERMS, proposed("paid", asked), UNUSED, [gif, gif])).toBeNull();
  });
});
