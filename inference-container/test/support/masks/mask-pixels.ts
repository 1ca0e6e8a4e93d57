import type { RowRuns } from "@segmentation/masks";

/** Row-major pixels as runs, by definition: the expected result of `findRuns`, and a way to make any mask. */
export function runsOf(pixels: readonly boolean[], width: number, height: number): RowRuns {
  const starts = [0];
  const edges: number[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x <= width; x++) {
      const set = x < width && (pixels[y * width + x] ?? false);
      const setBefore = x > 0 && (pixels[y * width + x - 1] ?? false);
      if (set !== setBefore) edges.push(x);
    }
    starts.push(edges.length);
  }
  return {
    width,
    height,
    starts: Int32Array.from(starts),
    edges: Int32Array.from(edges),
    area: pixels.filter(Boolean).length,
  };
}

/** Unfiltered scanlines of one-bit pixels, by definition: a zero byte, then the row's bits, the first one highest. */
export function scanlinesOf(pixels: readonly boolean[], width: number, height: number): Buffer {
  const length = 1 + Math.ceil(width / 8);
  const bytes = Buffer.alloc(length * height);
  pixels.forEach((set, i) => {
    const x = i % width;
    const at = Math.floor(i / width) * length + 1 + Math.floor(x / 8);
    if (set) bytes[at] = (bytes[at] ?? 0) + 2 ** (7 - (x % 8));
  });
  return bytes;
}
