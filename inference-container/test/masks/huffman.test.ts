import * as fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalCode, huffmanSizes } from "../../src/masks/png/huffman.ts";

const counts = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 2 ** 31 })), {
    minLength: 2,
    maxLength: 286,
  })
  .filter((drawn) => drawn.filter((count) => count > 0).length >= 2)
  .map((drawn) => Uint32Array.from(drawn));

/** The bits that a Huffman code of these symbols takes: each sum of the two least counts once. */
function leastBits(drawn: Uint32Array): number {
  const weights = [...drawn].filter((count) => count > 0);
  let bits = 0;
  while (weights.length > 1) {
    weights.sort((a, b) => b - a);
    const sum = (weights.pop() ?? 0) + (weights.pop() ?? 0);
    bits += sum;
    weights.push(sum);
  }
  return bits;
}

function bitsOf(drawn: Uint32Array, sizes: Uint8Array): number {
  return drawn.reduce((bits, count, symbol) => bits + count * (sizes[symbol] ?? 0), 0);
}

test("symbols that occur, and no others, have codes, of which none begins another and no room is left", () => {
  fc.assert(
    fc.property(counts, fc.constantFrom(9, 15), (drawn, longest) => {
      const sizes = huffmanSizes(drawn, longest);
      expect([...sizes].map((size) => size > 0)).toEqual([...drawn].map((count) => count > 0));
      expect(Math.max(...sizes)).toBeLessThanOrEqual(longest);
      expect(sizes.reduce((room, size) => room + (size > 0 ? 2 ** -size : 0), 0)).toBe(1);
      const { codes } = canonicalCode(sizes);
      // A reader that follows a code, lowest bit first, must not reach the end of another code before its own.
      const known = new Set(Array.from(codes, (code, symbol) => `${sizes[symbol]} ${code}`));
      for (const [symbol, code] of codes.entries()) {
        for (let read = 1; read < (sizes[symbol] ?? 0); read++) {
          expect(known.has(`${read} ${code & (2 ** read - 1)}`)).toBe(false);
        }
      }
    }),
  );
});

test("no code is shorter where its codes' sizes aren't limited", () => {
  fc.assert(
    fc.property(counts, (drawn) => {
      expect(bitsOf(drawn, huffmanSizes(drawn, 255))).toBe(leastBits(drawn));
    }),
  );
});

test("counts that ask for codes that are too long get such as are long enough", () => {
  const fibonacci = Array.from({ length: 40 }, () => 1);
  for (let i = 2; i < 40; i++) fibonacci[i] = (fibonacci[i - 1] ?? 0) + (fibonacci[i - 2] ?? 0);
  const drawn = Uint32Array.from(fibonacci);
  expect(Math.max(...huffmanSizes(drawn, 255))).toBe(39);
  const sizes = huffmanSizes(drawn, 15);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(15);
  expect(bitsOf(drawn, sizes)).toBeLessThan(leastBits(drawn) * 1.01);
});

test("the only symbol takes one bit, and none takes none", () => {
  expect([...huffmanSizes(Uint32Array.from([0, 7, 0]), 15)]).toEqual([0, 1, 0]);
  expect([...huffmanSizes(new Uint32Array(3), 15)]).toEqual([0, 0, 0]);
});
