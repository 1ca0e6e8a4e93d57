import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ZipWriter } from "../../../src/core/zip-writer.ts";
import { readStrictly } from "../../support/node/strict-zip.ts";
import { MTIME, noise, piecesOf, zipOf } from "../../support/node/zip-of.ts";

describe("an archive", () => {
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

  it("is not compressed, even where it could be: that would cost time, and what it holds is small already", () => {
    expect(zipOf({ "a.png": [new Uint8Array(100_000)] }).length).toBeGreaterThan(100_000);
  });

  it("says of each file when it was written, to two seconds", () => {
    const zip = zipOf({ "a.png": [], "b.png": [] });
    const directory = zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    // APPNOTE.TXT 4.4.6: MS-DOS time and date, at 12 and 14 of an entry in the directory.
    const [time, date] = [zip.readUInt16LE(directory + 12), zip.readUInt16LE(directory + 14)];
    const [seconds, minutes, hours] = [(time & 31) * 2, (time >> 5) & 63, time >> 11];
    const [day, month, year] = [date & 31, (date >> 5) & 15, 1980 + (date >> 9)];
    expect(new Date(year, month - 1, day, hours, minutes, seconds).getTime()).toBe(MTIME);
  });

  it("comes in pieces as its chunks come, and none of them is empty", () => {
    const block = noise(65_536, 1);
    const lengths = piecesOf({ "a.png": [block, new Uint8Array(), block], "b.png": [] }).map(
      ({ length }) => length,
    );
    expect(lengths.length).toBeGreaterThan(1);
    expect(Math.min(...lengths)).toBeGreaterThan(0);
  });

  it("is not written on after something went wrong: who writes it is told", () => {
    const zip = new ZipWriter(() => {}, MTIME);
    const add = zip.entry("x".repeat(65_536));
    expect(() => add(new Uint8Array(), true)).toThrow("filename too long");
    const ended = new ZipWriter(() => {}, MTIME);
    ended.end();
    expect(() => ended.end()).toThrow("stream finish");
  });
});
