import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TaskId } from "../../../src/shared/api/primitives.ts";
import { PresignRequest } from "../../../src/uploads/contract/upload.ts";
import {
  contentTypeOf,
  extensionOf,
  jobTypeOf,
  sniffMedia,
  SNIFF_BYTES,
} from "../../../src/shared/bucket/media-type.ts";
import { FILE_KINDS } from "../../support/file-kinds.ts";
import { USUAL_EXTENSIONS } from "../../support/media/extensions.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

describe("media types", () => {
  it("give every content type that may be uploaded an extension that makes a taskId [2.1-2 4.1-1]", () => {
    const contentType = fc.stringMatching(/^(image|video)\/[\x21-\x3a\x3c-\x7e]{1,100}$/);
    fc.assert(
      fc.property(contentType, (type) => {
        expect(PresignRequest.safeParse({ contentType: type }).success).toBe(true);
        const taskId = `3f0e8f64-5717-4562-b3fc-2c963f66afa6.${extensionOf(type)}`;
        expect(TaskId.safeParse(taskId).success).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<readonly [string, string]>([...USUAL_EXTENSIONS, ["IMAGE/JPEG", "jpg"]])(
    "give %s the extension that it usually has: %s",
    (type, extension) => {
      expect(extensionOf(type)).toBe(extension);
    },
  );

  it.each([
    ["image/x-portable-bitmap", "x-portable-bitmap"],
    ["image/vnd.Adobe.PSD", "vnd.adobe.psd"],
    ["image/svg+xml", "svg-xml"],
    ["image/a/b", "a-b"],
    ["video/.-h264", "h264"],
    ["video/++", "bin"],
    [`image/${"x".repeat(100)}`, "x".repeat(64)],
  ])("give %s its own name in the alphabet of taskIds: %s", (type, extension) => {
    expect(extensionOf(type)).toBe(extension);
  });

  it.each([
    ["image/png", "image"],
    ["IMAGE/PNG", "image"],
    ["video/mp4", "video"],
    ["application/octet-stream", null],
    ["imagery/png", null],
  ])("say whether an upload is for an image job or a video job, or nothing: %s, %s", (type, jobType) => {
    expect(jobTypeOf(type)).toBe(jobType);
  });
});

describe("a file's first bytes", () => {
  it.each(FILE_KINDS)("identify $head as $contentType, with any rest", ({ head, contentType }) => {
    const [type, format] = contentType.split("/");
    const media = type === "application" ? null : { type, format };
    expect(sniffMedia(bytes(head))).toEqual(media);
    expect(sniffMedia(bytes(head.padEnd(SNIFF_BYTES, "x")))).toEqual(media);
  });

  it("shorter than a format's signature are of unknown format", () => {
    for (const sign of ["\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "GIF89a", "II*\0", "\x1a\x45\xdf\xa3"]) {
      expect(sniffMedia(bytes(sign.slice(0, -1)))).toBeNull();
    }
  });
});

describe("the content type of a file", () => {
  it.each([
    ["\xff\xd8\xff\xe0", "image/png", "image/jpeg"],
    ["\0\0\0\x18ftypisom", "image/jpeg", "video/mp4"],
    ["GIF89a", null, "image/gif"],
    ["\0\0\0\x0cJXL \r\n\x87\n", "binary/octet-stream", "image/jxl"],
    ["\0\0\0\x0cjP  \r\n\x87\n", null, "image/jp2"],
    ["\0\0\0\x1cftypmif1\0\0\0\0avifmif1miaf", "image/heic", "image/avif"],
    ["\0\0\0\x14ftypxyz1\0\0\0\0xyz1", "video/mp4", "video/mp4"],
    ["\0\0\0\x14ftypxyz1\0\0\0\0xyz1", null, null],
    ["other bytes", "image/jxl", "image/jxl"],
    ["other bytes", " Video/MP2T ; charset=x", "video/mp2t"],
    ["other bytes", "image/png", null],
    ["other bytes", "video/mp4", null],
    ["other bytes", "application/octet-stream", null],
    ["other bytes", "text/html", null],
    ["other bytes", "image/", null],
    ["other bytes", "image/j xl", null],
    ["other bytes", `image/${"x".repeat(95)}`, null],
    ["other bytes", "", null],
    ["other bytes", null, null],
  ])("of the first bytes %j, declared as %j, is %s", (head, declared, contentType) => {
    expect(contentTypeOf(bytes(head), declared)).toBe(contentType);
  });
});
