import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { unzipSync } from "fflate";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ZipWriter } from "../../../src/core/zip-writer.ts";

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

  const sizes = [17, 165_536, 0, 4_000_000];

  it("passes unzip's own test", () => {
    expect(execFileSync("unzip", ["-t", "a.zip"], { cwd: folder, encoding: "utf8" })).toContain(
      "No errors detected",
    );
  });

  it("is read by Python's zipfile", () => {
    const script =
      "import zipfile,json; z=zipfile.ZipFile('a.zip'); assert z.testzip() is None; print(json.dumps([len(z.read(n)) for n in z.namelist()]))";
    expect(JSON.parse(execFileSync("python3", ["-c", script], { cwd: folder, encoding: "utf8" }))).toEqual(
      sizes,
    );
  });

  it("is read by Java's ZipInputStream, which goes through it from its start", () => {
    const source = `import java.util.zip.*; import java.io.*;
      public class Read { public static void main(String[] a) throws Exception {
        try (var z = new ZipInputStream(new FileInputStream("a.zip"))) {
          StringBuilder sizes = new StringBuilder();
          while (z.getNextEntry() != null) { sizes.append(z.readAllBytes().length).append(' '); z.closeEntry(); }
          System.out.print(sizes.toString().trim());
        } } }`;
    writeFileSync(join(folder, "Read.java"), source);
    expect(execFileSync("java", ["Read.java"], { cwd: folder, encoding: "utf8" })).toBe(sizes.join(" "));
  });

  it("is hardly larger than what it holds, and gives it back byte for byte, however it was cut in chunks", () => {
    const chunk = fc.nat(140_000).map((bytes) => noise(bytes, bytes));
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}\.png$/), fc.array(chunk, { maxLength: 4 }), {
          maxKeys: 6,
        }),
        (files) => {
          const zip = zipOf(files);
          const read = unzipSync(zip);
          let held = 0;
          for (const [name, chunks] of Object.entries(files)) {
            const bytes = Buffer.concat(chunks);
            held += bytes.length;
            expect(Buffer.from(read[name] ?? []).equals(bytes)).toBe(true);
          }
          expect(zip.length - held).toBeLessThanOrEqual(22 + Object.keys(files).length * 200 + held / 1_000);
        },
      ),
      { numRuns: 60 },
    );
  });
});
