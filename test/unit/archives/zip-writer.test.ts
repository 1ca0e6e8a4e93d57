import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countEntries, ZipWriter } from "../../../src/archives/rules/zip-writer.ts";
import { readStrictly } from "../../support/zip/strict-zip.ts";
import { MTIME, noise, piecesOf, zipOf } from "../../support/zip/zip-of.ts";

describe("an archive", () => {
  it("is hardly larger than its content, and returns it byte for byte, for any chunks", () => {
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

  it("is not compressed, even if it could be: its content is small already", () => {
    expect(zipOf({ "a.png": [new Uint8Array(100_000)] }).length).toBeGreaterThan(100_000);
  });

  it("states the time of each file in UTC, to two seconds", () => {
    const zip = zipOf({ "a.png": [], "b.png": [] });
    const directory = zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    // APPNOTE.TXT 4.4.6: MS-DOS time and date, at 12 and 14 of an entry in the directory.
    const [time, date] = [zip.readUInt16LE(directory + 12), zip.readUInt16LE(directory + 14)];
    const [seconds, minutes, hours] = [(time & 31) * 2, (time >> 5) & 63, time >> 11];
    const [day, month, year] = [date & 31, (date >> 5) & 15, 1980 + (date >> 9)];
    expect(Date.UTC(year, month - 1, day, hours, minutes, seconds)).toBe(MTIME);
  });

  it("comes in non-empty pieces as its chunks arrive", () => {
    const block = noise(65_536, 1);
    const lengths = piecesOf({ "a.png": [block, new Uint8Array(), block], "b.png": [] }).map(
      ({ length }) => length,
    );
    expect(lengths.length).toBeGreaterThan(1);
    expect(Math.min(...lengths)).toBeGreaterThan(0);
  });

  it("marks only non-ASCII file names as UTF-8", () => {
    const flags = (name: string): number => {
      const zip = zipOf({ [name]: [noise(9, 9)] });
      expect([...readStrictly(zip).keys()]).toEqual([name]);
      return zip.readUInt16LE(6);
    };
    expect(flags("Größe.png")).toBe(0b1000_0000_1000);
    expect(flags("a.png")).toBe(0b0000_0000_1000);
  });
});

describe("an archive whose writing stopped anywhere and was continued", () => {
  const size = fc.oneof(
    fc.nat(200),
    fc.nat(140_000),
    fc.constantFrom(0, 32_767, 32_768, 32_769, 65_535, 65_536, 131_070),
  );
  const files = fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[a-zü]{1,8}\.png$/), size }), {
    maxLength: 8,
    selector: ({ name }) => name,
  });

  /** Writes the files by one writer after another: a new one after each file that is a cut, in chunks of such sizes. */
  function written(
    all: readonly { name: string; size: number }[],
    isCut: (i: number) => boolean,
    chunkSizes: readonly number[],
  ): Buffer {
    const pieces: Uint8Array[] = [];
    const sink = (piece: Uint8Array) => pieces.push(piece.slice());
    let zip = new ZipWriter(sink, MTIME);
    let turn = 0;
    for (const [i, { name, size: bytes }] of all.entries()) {
      const file = noise(bytes, i);
      const add = zip.entry(name);
      for (let at = 0; at < file.length;) {
        const length = chunkSizes[turn++ % chunkSizes.length] ?? file.length;
        add(file.subarray(at, at + length), false);
        at += length;
      }
      add(new Uint8Array(), true);
      if (!isCut(i)) continue;
      const names = all.slice(0, i + 1).map((each) => each.name);
      zip = new ZipWriter(sink, MTIME, names, zip.known());
      expect(countEntries(zip.known())).toBe(i + 1);
    }
    zip.end();
    return Buffer.concat(pieces);
  }

  it("has the same bytes as an archive written at once, for any chunks of its files", () => {
    fc.assert(
      fc.property(
        files,
        fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 150_000 }), { minLength: 1, maxLength: 5 }),
        (all, cuts, chunkSizes) => {
          const whole = written(all, () => false, [200_000]);
          expect([...readStrictly(whole)].map(([name, { length }]) => [name, length])).toEqual(
            all.map(({ name, size: bytes }) => [name, bytes]),
          );
          const slow = chunkSizes.map((length) => (length < 50 && all.length > 0 ? length * 1_000 : length));
          expect(written(all, (i) => cuts[i] ?? false, slow).equals(whole)).toBe(true);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("takes 5 bytes more than its files for every 32 KiB of one", () => {
    const sizes = [0, 1, 32_768, 32_769, 65_535, 65_536, 65_537, 131_070];
    const zip = new ZipWriter(() => {}, MTIME);
    for (const bytes of sizes) zip.entry(`${bytes}.png`)(noise(bytes, 1), true);
    const overheads = sizes.map((bytes, i) => (zip.known()[3 * i + 1] ?? 0) - bytes);
    expect(overheads).toEqual([5, 5, 5, 10, 10, 10, 15, 20]);
  });
});
