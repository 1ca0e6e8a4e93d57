import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pictureIn } from "../../../src/http/inline-picture.ts";

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(text));
const base64Of = (bytes: Uint8Array): string => {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
};

/** Spellings of one base64 string in JSON. */
const SPELLINGS: Readonly<Record<string, (base64: string) => string>> = {
  plain: (base64) => `"${base64}"`,
  "with space around it": (base64) => ` \n"${base64}" `,
  "a data: URL": (base64) => `"data:image/png;base64,${base64}"`,
  "a data: URL with parameters": (base64) => `"data:image/png;name=a.png;base64,${base64}"`,
  "a data: URL with escaped slashes": (base64) =>
    `"data:image\\/png;base64,${base64.replaceAll("/", "\\/")}"`,
  "with escaped plus signs": (base64) => `"${base64.replaceAll("+", "\\u002B")}"`,
  "in lines": (base64) => `"${base64.replaceAll(/.{76}/g, "$&\\r\\n")}"`,
  "without padding": (base64) => `"${base64.replace(/=+$/, "")}"`,
};

/** Returns true if a picture has these bytes: an assertion about large arrays takes seconds. */
const isSame = (picture: Uint8Array | null, bytes: Uint8Array): boolean =>
  picture?.length === bytes.length && bytes.every((byte, i) => picture[i] === byte);

describe("a picture in base64", () => {
  it.each(Object.entries(SPELLINGS))("is decoded: %s", (_name, spell) => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (bytes) => {
        expect(pictureIn(bytesOf(spell(base64Of(bytes))))).toEqual(bytes);
      }),
    );
    // More than one chunk, at each offset within four characters and within an escape.
    for (const extra of [0, 1, 2, 3, 4, 5, 6]) {
      const bytes = Uint8Array.from({ length: 200_000 + extra }, (_, i) => (i * 7 + extra) % 256);
      bytes.fill(255, 0, 50_000);
      expect(isSame(pictureIn(bytesOf(spell(base64Of(bytes)))), bytes), `${extra}`).toBe(true);
    }
  });

  it.each(["null", "[]", '""', "", " ", "5", "{}"])("is none: %s", (json) => {
    expect(pictureIn(bytesOf(json))).toBeNull();
  });

  it.each([
    '"%%%"',
    '"data:image/png,abc"',
    '"AA==AA"',
    '"https://pictures.test/a.png"',
    '"\\x"',
    '"A"',
    '"\\u00"',
  ])("is refused: %s", (json) => {
    expect(() => pictureIn(bytesOf(json))).toThrow("not in base64");
  });
});
