import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MAX_ZIP_ENTRIES } from "../../src/archives/rules/zip-records.ts";
import { ZipWriter } from "../../src/archives/rules/zip-writer.ts";
import { archiveReaders } from "../support/zip/archive-readers.ts";
import { MTIME, noise } from "../support/zip/zip-of.ts";

/** Every message's builder handles this many files, and the next continues from the saved progress. */
const SLICE_FILES = 20_000;
const sizeOf = (i: number): number => (i * 7) % 300;

describe(`an archive of ${MAX_ZIP_ENTRIES} files, written in turns,`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "zip-"));
    const names = Array.from({ length: MAX_ZIP_ENTRIES }, (_, i) => `masks/a.png/${i}.png`);
    const pieces: Uint8Array[] = [];
    const sink = (piece: Uint8Array) => pieces.push(piece.slice());
    let zip = new ZipWriter(sink, MTIME);
    for (const [i, name] of names.entries()) {
      if (i % SLICE_FILES === 0) zip = new ZipWriter(sink, MTIME, names.slice(0, i), zip.known());
      zip.entry(name)(noise(sizeOf(i), i), true);
    }
    zip.end();
    writeFileSync(join(folder, "a.zip"), Buffer.concat(pieces));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each(archiveReaders().map((reader) => [reader.name, reader] as const))(
    "is read whole by %s",
    (_, { sizes }) => {
      expect(sizes(join(folder, "a.zip"))).toEqual(
        Array.from({ length: MAX_ZIP_ENTRIES }, (__, i) => sizeOf(i)),
      );
    },
  );
});
