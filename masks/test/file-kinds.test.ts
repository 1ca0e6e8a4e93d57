import { fileKindOf } from "@segmentation/masks";
import { expect, it } from "vitest";
import { FILE_KINDS } from "../../test/support/file-kinds.ts";

it.each(FILE_KINDS)(
  "a file that begins with $head is known, with any rest: $name",
  ({ head, name, contentType }) => {
    const isMedia = !contentType.startsWith("application/");
    for (const bytes of [head, head + "x".repeat(2_000), head + "\0".repeat(2_000)]) {
      const kind = fileKindOf(Buffer.from(bytes, "latin1"));
      expect(kind?.name ?? null).toBe(name);
      if (isMedia) expect(kind?.contentType).toBe(contentType);
    }
  },
);
