/** The COCO dataset's run-length encoding by its definition, bit by bit: the reference for the service's own. */

/** Row-major pixels to run lengths, column by column, clear ones first. */
function plainCounts(pixels: readonly boolean[], width: number, height: number): number[] {
  const counts = [0];
  let set = false;
  for (let x = 0; x < width; x++) {
    for (let y = 0; y < height; y++) {
      if (pixels[y * width + x] !== set) {
        counts.push(0);
        set = !set;
      }
      counts.push((counts.pop() ?? 0) + 1);
    }
  }
  return counts;
}

/** Run lengths to text: every value as the fewest digits of base 32 that keep its sign, the lowest first. */
function plainText(counts: readonly number[]): string {
  return counts
    .map((count, i) => (i > 2 ? count - (counts[i - 2] ?? 0) : count))
    .map((value) => {
      let digits = 1;
      while (value < -(32 ** digits) / 2 || value >= 32 ** digits / 2) digits++;
      return Array.from({ length: digits }, (_, i) => {
        const digit = Math.floor(value / 32 ** i) - 32 * Math.floor(value / 32 ** (i + 1));
        return String.fromCharCode(48 + digit + (i < digits - 1 ? 32 : 0));
      }).join("");
    })
    .join("");
}

export function plainRle(pixels: readonly boolean[], width: number, height: number): string {
  return plainText(plainCounts(pixels, width, height));
}

/** Decodes a `counts` string to row-major pixels. */
export function decodeRle({
  size: [height = 0, width = 0],
  counts: text,
}: {
  size: readonly number[];
  counts: string;
}): boolean[] {
  const counts: number[] = [];
  for (const [code] of text.matchAll(/[P-o]*[0-O]/g)) {
    const digits = Array.from(code, (character) => (character.charCodeAt(0) - 48) % 32);
    const value = digits.reduce((sum, digit, i) => sum + digit * 32 ** i, 0);
    const signed = (digits.at(-1) ?? 0) >= 16 ? value - 32 ** digits.length : value;
    counts.push(counts.length > 2 ? signed + (counts.at(-2) ?? 0) : signed);
  }
  const pixels = Array<boolean>(width * height).fill(false);
  let place = 0;
  counts.forEach((count, i) => {
    for (const end = place + count; place < end; place++) {
      if (i % 2 === 1) pixels[(place % height) * width + Math.floor(place / height)] = true;
    }
  });
  return pixels;
}
