import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TaskId } from "../../../src/contract/primitives.ts";
import { PresignRequest } from "../../../src/contract/upload.ts";
import { extensionOf, sniffMedia } from "../../../src/core/media-type.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");

describe("media types", () => {
  it("give every content type that may be uploaded an extension that makes a taskId", () => {
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

  it.each([
    ["\x89PNG\r\n\x1a\n", "image", "png"],
    ["\xff\xd8\xff\xe0", "image", "jpeg"],
    ["GIF89a", "image", "gif"],
    ["RIFF\0\0\0\0WEBP", "image", "webp"],
    ["\0\0\0\x1cftypavif", "image", "avif"],
    ["\0\0\0\x18ftypheic", "image", "heic"],
    ["BM", "image", "bmp"],
    ["II*\0", "image", "tiff"],
    ["\0\0\0\x18ftypisom", "video", "mp4"],
    ["\0\0\0\x18ftypmp42", "video", "mp4"],
    ["\0\0\0\x1cftypiso5", "video", "mp4"],
    ["\0\0\0\x20ftypM4V ", "video", "mp4"],
    ["\0\0\0\x14ftyp3gp4", "video", "mp4"],
    ["\0\0\0\x14ftypqt  ", "video", "mp4"],
    ["\0\0\0\x1cftypavis", "image", "avif"],
    ["\0\0\0\x18ftypmif1", "image", "heic"],
    ["\0\0\0\x08wide", "video", "quicktime"],
    ["\x1a\x45\xdf\xa3", "video", "x-matroska"],
    ["RIFF\0\0\0\0AVI ", "video", "x-msvideo"],
  ])("tell %j to be of a kind and a format: %s %s", (head, type, format) => {
    expect(sniffMedia(bytes(head))).toEqual({ type, format });
  });

  it.each(["RIFF\0\0\0\0WAVE", "<svg xmlns=", "", "\x89PN"])("tell nothing of %j", (head) => {
    expect(sniffMedia(bytes(head))).toBeNull();
  });
});
