import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { archiveReaders } from "../../support/zip/archive-readers.ts";
import { noise, zipOf } from "../../support/zip/zip-of.ts";

describe("an archive", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "zip-"));
    const files = {
      "output_manifest.json": [Buffer.from('{"jobId":"job_1"}')],
      "masks/a.png/0.png": [noise(100_000, 1), noise(1, 2), noise(65_535, 3)],
      "masks/a.png/1.png": [],
      "preview/a.mp4": Array.from({ length: 40 }, (_, i) => noise(100_000, i)),
    };
    writeFileSync(join(folder, "a.zip"), zipOf(files));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each(archiveReaders().map((reader) => [reader.name, reader] as const))(
    "is read whole by %s [2.6-3]",
    (_, { sizes }) => {
      expect(sizes(join(folder, "a.zip"))).toEqual([17, 165_536, 0, 4_000_000]);
    },
  );
});
