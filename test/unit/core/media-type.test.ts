import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TaskId } from "../../../src/contract/primitives.ts";
import { PresignRequest } from "../../../src/contract/upload.ts";
import { extensionOf, sniffJobType } from "../../../src/core/media-type.ts";

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
    ["\x89PNG\r\n\x1a\n", "image"],
    ["\xff\xd8\xff\xe0", "image"],
    ["GIF89a", "image"],
    ["RIFF\0\0\0\0WEBP", "image"],
    ["\0\0\0\x1cftypavif", "image"],
    ["\0\0\0\x18ftypheic", "image"],
    ["BM", "image"],
    ["II*\0", "image"],
    ["\0\0\0\x18ftypisom", "video"],
    ["\0\0\0\x14ftypqt  ", "video"],
    ["\x1a\x45\xdf\xa3", "video"],
    ["RIFF\0\0\0\0AVI ", "video"],
    ["RIFF\0\0\0\0WAVE", null],
    ["<svg xmlns=", null],
    ["", null],
    ["\x89PN", null],
  ])("tell %j to be of a kind: %s", (head, kind) => {
    expect(sniffJobType(bytes(head))).toBe(kind);
  });
});
