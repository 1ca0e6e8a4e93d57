import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { measureMask, readMaskPng, unpackMask } from "@segmentation/masks";
import { chunk } from "../../../inference-container/test/support/pictures/broken-pictures.ts";
import { anyMask } from "../support/arbitrary-masks.ts";
import { draw, maskFile } from "../support/shapes.ts";

const bytes = (...parts: Uint8Array[]): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.concat(parts));

/** A file of these chunks. */
const png = (...chunks: readonly (readonly [type: string, data: Uint8Array])[]): Uint8Array<ArrayBuffer> =>
  bytes(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...chunks.map(([type, data]) => chunk(type, data)));

function header(width: number, height: number, ...rest: number[]): Uint8Array {
  const data = Buffer.alloc(8);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  return Buffer.concat([data, Buffer.from(rest)]);
}

/** Filters a row by the standard's definition: the difference from the filter's prediction. */
function filtered(filter: number, row: readonly number[], above: readonly number[]): number[] {
  const expected = row.map((_, i) => {
    const [a = 0, b = 0, c = 0] = [row[i - 1], above[i], above[i - 1]];
    const distances = [a, b, c].map((value) => Math.abs(a + b - c - value));
    const nearest = [a, b, c][distances.indexOf(Math.min(...distances))] ?? 0;
    return [0, a, b, Math.floor((a + b) / 2), nearest][filter] ?? 0;
  });
  return [filter, ...row.map((value, i) => (value - (expected[i] ?? 0)) & 255)];
}

describe("readMaskPng", () => {
  it("returns the pixels and the prompt that the inference service wrote", async () => {
    await fc.assert(
      fc.asyncProperty(anyMask, fc.string({ unit: "grapheme" }), async (mask, prompt) => {
        const content = await readMaskPng(maskFile(mask, prompt));
        expect(unpackMask(content)).toEqual(mask);
        expect(content.texts.get("prompt")).toBe(prompt.replaceAll("\0", ""));
      }),
    );
  });

  it("finds a text after other texts and chunks, and none in a malformed chunk", async () => {
    const texts = async (...chunks: readonly (readonly [string, string])[]) => {
      const framed = chunks.map(([type, text]) => [type, Buffer.from(text)] as const);
      const head = ["IHDR", header(8, 1, 1, 0, 0, 0, 0)] as const;
      const body = ["IDAT", deflateSync(Buffer.alloc(2))] as const;
      return (await readMaskPng(png(head, ...framed, body, ["IEND", Buffer.alloc(0)]))).texts;
    };
    const other = "comment\0\0\0\0\0no";
    const found = await texts(["tEXt", other], ["iTXt", other], ["iTXt", "prompt\0\0\0\0\0кошка 🐈"]);
    expect(found.get("prompt")).toBe("кошка 🐈");
    expect((await texts()).get("prompt")).toBeUndefined();
    expect((await texts(["iTXt", "prompt"])).get("prompt")).toBeUndefined();
  });

  it("undoes every filter of the standard", async () => {
    const filters = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        filters,
        fc.integer({ min: 1, max: 5 }),
        fc.infiniteStream(fc.integer({ min: 0, max: 255 })),
        async (kinds, length, stream) => {
          const rows = kinds.map(() => Array.from({ length }, () => stream.next().value ?? 0));
          const packed = kinds.flatMap((filter, y) => filtered(filter, rows[y] ?? [], rows[y - 1] ?? []));
          const file = png(
            ["IHDR", header(length * 8, kinds.length, 1, 0, 0, 0, 0)],
            ["IDAT", deflateSync(Buffer.from(packed))],
            ["IEND", Buffer.alloc(0)],
          );
          expect([...(await readMaskPng(file)).rows]).toEqual(rows.flat());
        },
      ),
    );
  });

  it("refuses a file that differs in any byte, or that lacks its end", async () => {
    const file = maskFile(
      draw(20, 10, (x) => x > 5),
      "cup",
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const changed = file.slice();
        changed[at] = (changed[at] ?? 0) ^ change;
        await expect(readMaskPng(changed)).rejects.toThrow(RangeError);
        await expect(readMaskPng(file.slice(0, at))).rejects.toThrow(RangeError);
      }),
    );
  });

  it("refuses a picture that is no mask", async () => {
    const colour = png(["IHDR", header(8, 1, 8, 2, 0, 0, 0)], ["IEND", Buffer.alloc(0)]);
    await expect(readMaskPng(colour)).rejects.toThrow("not a PNG of one bit per pixel");
    await expect(readMaskPng(bytes(Buffer.from("GIF89a")))).rejects.toThrow("not a PNG");
    const short = png(
      ["IHDR", header(8, 9, 1, 0, 0, 0, 0)],
      ["IDAT", deflateSync(Buffer.alloc(2))],
      ["IEND", Buffer.alloc(0)],
    );
    await expect(readMaskPng(short)).rejects.toThrow("rows do not match its size");
  });
});

describe("measureMask", () => {
  it("counts the pixels and finds the box around them", async () => {
    await fc.assert(
      fc.asyncProperty(anyMask, async (mask) => {
        const places = [...mask.data].flatMap((value, i) =>
          value ? [[i % mask.width, Math.floor(i / mask.width)]] : [],
        );
        const [xs, ys] = [places.map(([x = 0]) => x), places.map(([, y = 0]) => y)];
        const [left, top] = [Math.min(...xs), Math.min(...ys)];
        const box =
          places.length === 0
            ? [0, 0, 0, 0]
            : [left, top, Math.max(...xs) + 1 - left, Math.max(...ys) + 1 - top];
        expect(measureMask(await readMaskPng(maskFile(mask, "")))).toEqual({ area: places.length, box });
      }),
    );
  });
});
