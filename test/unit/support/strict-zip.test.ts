import { type Zippable, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { ZipWriter } from "../../../src/archives/rules/zip-writer.ts";
import { readStrictly } from "../../support/zip/strict-zip.ts";

const [FIRST, SECOND] = ["masks/a.png", "b.txt"];
const TEXT = Buffer.from("What is in the second file, twice as long as it need be.");

/** An archive of two files, as the service writes it. */
function whole(): Buffer {
  const pieces: Uint8Array[] = [];
  const zip = new ZipWriter((piece) => pieces.push(piece.slice()), Date.parse("2026-01-02T03:04:06Z"));
  zip.entry(FIRST)(Buffer.from([1, 2, 3]), true);
  zip.entry(SECOND)(TEXT, true);
  zip.end();
  return Buffer.concat(pieces);
}

const LOCAL = Buffer.from("PK\u0003\u0004");
const DESCRIPTOR = Buffer.from("PK\u0007\u0008");
const ROW = Buffer.from("PK\u0001\u0002");
const END = Buffer.from("PK\u0005\u0006");

/** The archive with a number of two bytes at `offset` behind the last place of a signature changed. */
const changed = (signature: Buffer, offset: number, change: (value: number) => number): Buffer => {
  const zip = whole();
  const at = zip.lastIndexOf(signature) + offset;
  zip.writeUInt16LE(change(zip.readUInt16LE(at)), at);
  return zip;
};
const more = (value: number): number => value + 1;
const cut = (zip: Buffer, from: number, to: number): Buffer =>
  Buffer.concat([zip.subarray(0, from), zip.subarray(to)]);
const inserted = (zip: Buffer, at: number): Buffer =>
  Buffer.concat([zip.subarray(0, at), Buffer.alloc(1), zip.subarray(at)]);

/** Returns the content of an archive; null if it is refused. */
const readIfWhole = (zip: Buffer): [string, Buffer][] | null => {
  try {
    return [...readStrictly(zip)];
  } catch {
    return null;
  }
};

describe("the strict reader of archives", () => {
  it("reads the service's archives, and those of others in one piece", () => {
    expect([...readStrictly(whole())]).toEqual([
      [FIRST, Buffer.from([1, 2, 3])],
      [SECOND, TEXT],
    ]);
    const files: Zippable = {
      "stored.png": [new Uint8Array([7]), { level: 0 }],
      "größe.txt": [TEXT, { level: 9 }],
    };
    expect([...readStrictly(zipSync(files))]).toEqual([
      ["stored.png", Buffer.from([7])],
      ["größe.txt", TEXT],
    ]);
    expect([...readStrictly(zipSync({}))]).toEqual([]);
  });

  const damages: Record<string, readonly [damaged: Buffer, complaint: string]> = {
    "a byte of a file changed": [changed(DESCRIPTOR, -2, more), "the CRC-32 of b.txt"],
    "another CRC-32 in the descriptor": [changed(DESCRIPTOR, 4, more), "crc of b.txt"],
    "another compressed size in the descriptor": [changed(DESCRIPTOR, 8, more), "compressed of b.txt"],
    "another size in the descriptor": [changed(DESCRIPTOR, 12, more), "plain of b.txt"],
    "no descriptor's signature": [changed(DESCRIPTOR, 0, more), "the descriptor's signature of b.txt"],
    "another CRC-32 in the directory": [changed(ROW, 16, more), "crc of b.txt"],
    "a size in the local header of a streamed entry": [changed(LOCAL, 22, more), "plain of b.txt"],
    "another method in the local header": [changed(LOCAL, 8, () => 0), "a stored entry's end"],
    "another time in the local header": [changed(LOCAL, 10, more), "time of b.txt"],
    "another name in the local header": [changed(LOCAL, 30, more), "the name in a local header"],
    "a name that leads out of the folder": [changed(ROW, 46, () => 0x2f_2f), "is no name of a file"],
    "an unknown flag": [changed(ROW, 8, (flags) => flags | 1), "has the flags"],
    "an unknown method": [changed(ROW, 10, () => 12), "has the method 12"],
    "an entry that begins where another is": [changed(ROW, 42, () => 0), "where b.txt begins"],
    "a byte before it": [inserted(whole(), 0), "where the directory ends"],
    "a byte between two entries": [inserted(whole(), whole().lastIndexOf(LOCAL)), "where the directory ends"],
    "a byte behind it": [inserted(whole(), whole().length), "the end record's signature"],
    "a comment announced": [changed(END, 20, more), "the comment's length"],
    "an entry more announced": [changed(END, 8, more), "the number of entries in all"],
    "its last byte gone": [whole().subarray(0, -1), "the end record's signature"],
    "a byte of a file gone": [
      cut(whole(), whole().lastIndexOf(DESCRIPTOR) - 1, whole().lastIndexOf(DESCRIPTOR)),
      "where the directory ends",
    ],
    "nothing in it": [Buffer.alloc(0), "no room for an end record"],
  };

  it.each(Object.entries(damages))("refuses an archive with %s", (_, [damaged, complaint]) => {
    expect(() => readStrictly(damaged)).toThrow(complaint);
  });

  it("refuses an archive with the same name twice", () => {
    const zip = Buffer.from(zipSync({ "a.txt": TEXT, "b.txt": TEXT }));
    const same = Buffer.from(zip.toString("latin1").replaceAll("a.txt", "b.txt"), "latin1");
    expect(() => readStrictly(same)).toThrow("b.txt is there twice");
  });

  it("never returns wrong files for any flipped bit [2.6-3]", () => {
    const zip = whole();
    const expected = [...readStrictly(zip)];
    for (let bit = 0; bit < zip.length * 8; bit += 1) {
      const [byte, mask] = [bit >> 3, 1 << (bit & 7)];
      zip[byte] = (zip[byte] ?? 0) ^ mask;
      const read = readIfWhole(zip);
      if (read !== null) expect(read, `bit ${bit}`).toEqual(expected);
      zip[byte] = (zip[byte] ?? 0) ^ mask;
    }
  });
});
