import type { RowRuns } from "./row-runs.ts";

const CHANNELS = 4;
const WORD_BITS = 8;
/** The numbers of bits for a run's length; a code of two bits chooses one. */
const LENGTH_BITS = [3, 4, 8, 16];
const LONGEST_RUN = 1 << 16;

/** Writes numbers of up to 32 bits one after the other, their highest bits first. */
class BitWriter {
  readonly bytes: number[] = [];
  #free = 0;

  write(value: number, bits: number): void {
    for (let bit = bits - 1; bit >= 0; bit--) {
      if (this.#free === 0) this.#free = this.bytes.push(0) && 8;
      this.#free--;
      const last = this.bytes.length - 1;
      this.bytes[last] = (this.bytes[last] ?? 0) | (((value >>> bit) & 1) << this.#free);
    }
  }
}

/**
 * A mask in Label Studio's brush format: the bytes of an RGBA picture, row by row, packed as `@thi.ng/rle-pack`
 * describes. A header has the number of words (32 bits), the bits of a word less one (5), and the four possible lengths
 * of a length, less one (4 each). Each run has four parts: a bit that is 1 if it repeats one word, a code of a length's
 * bits (2), the length less one, and its word.
 */
export function brushRleOf({ width, height, starts, edges }: RowRuns): number[] {
  const writer = new BitWriter();
  writer.write(width * height * CHANNELS, 32);
  writer.write(WORD_BITS - 1, 5);
  for (const bits of LENGTH_BITS) writer.write(bits - 1, 4);
  let at = 0;
  const writeUntil = (pixel: number, word: number): void => {
    for (let left = (pixel - at) * CHANNELS; left > 0;) {
      const length = Math.min(left, LONGEST_RUN);
      const code = LENGTH_BITS.findIndex((bits) => length <= 1 << bits);
      writer.write(1, 1);
      writer.write(code, 2);
      writer.write(length - 1, LENGTH_BITS[code] ?? 0);
      writer.write(word, WORD_BITS);
      left -= length;
    }
    at = pixel;
  };
  for (let y = 0; y < height; y++)
    for (let i = starts[y] ?? 0; i < (starts[y + 1] ?? 0); i += 2) {
      writeUntil(y * width + (edges[i] ?? 0), 0);
      writeUntil(y * width + (edges[i + 1] ?? 0), 255);
    }
  writeUntil(width * height, 0);
  return writer.bytes;
}
