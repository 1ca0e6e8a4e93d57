import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ZipWriter } from "../../../src/core/zip-writer.ts";
import { archiveReaders } from "../../support/node/archive-readers.ts";
import { readStrictly } from "../../support/node/strict-zip.ts";

const MTIME = Date.parse("2026-01-02T03:04:06Z");

function zipOf(files: Record<string, readonly Uint8Array[]>): Uint8Array {
  const pieces: Uint8Array[] = [];
  const zip = new ZipWriter((piece) => pieces.push(piece.slice()), MTIME);
  for (const [name, chunks] of Object.entries(files)) {
    const add = zip.entry(name);
    for (const chunk of chunks) add(chunk, false);
    add(new Uint8Array(), true);
  }
  zip.end();
  return Buffer.concat(pieces);
}

const noise = (bytes: number, seed: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, i) => (i * 2_654_435_761 + seed * 97) >>> 13);

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
    "is read whole by %s",
    (_, { sizes }) => {
      expect(sizes(join(folder, "a.zip"))).toEqual([17, 165_536, 0, 4_000_000]);
    },
  );

  it("is hardly larger than what it holds, and gives it back byte for byte, however it was cut in chunks", () => {
    const chunk = fc.nat(140_000).map((bytes) => noise(bytes, bytes));
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}\.png$/), fc.array(chunk, { maxLength: 4 }), {
          maxKeys: 6,
        }),
        (files) => {
          const zip = zipOf(files);
          const read = readStrictly(zip);
          expect([...read.keys()]).toEqual(Object.keys(files));
          let held = 0;
          for (const [name, chunks] of Object.entries(files)) {
            const bytes = Buffer.concat(chunks);
            held += bytes.length;
            expect(read.get(name)?.equals(bytes)).toBe(true);
          }
          expect(zip.length - held).toBeLessThanOrEqual(22 + Object.keys(files).length * 200 + held / 1_000);
        },
      ),
      { numRuns: 60 },
    );
  });
});
