import type { LogitGrid } from "@segmentation/masks";

/** The definition of a mask, pixel by pixel: the bilinearly resized logit exceeds the threshold's. */
export function plainMask(grid: LogitGrid, width: number, height: number, maskThreshold: number): boolean[] {
  const threshold = Math.log(maskThreshold / (1 - maskThreshold));
  const mask: boolean[] = [];
  for (let y = 0; y < height; y++) {
    const down = sourceOf(y, grid.height, height);
    for (let x = 0; x < width; x++) {
      const right = sourceOf(x, grid.width, width);
      const left = mix(at(grid, right.index, down.index), at(grid, right.index, down.next), down.fraction);
      const other = mix(at(grid, right.next, down.index), at(grid, right.next, down.next), down.fraction);
      mask.push(mix(left, other, right.fraction) > threshold);
    }
  }
  return mask;
}

/** Half-pixel centers, clamped at the edges. */
function sourceOf(i: number, from: number, to: number): { index: number; next: number; fraction: number } {
  const position = Math.max(0, Math.min(from - 1, (i + 0.5) * (from / to) - 0.5));
  const index = Math.trunc(position);
  return { index, next: Math.min(index + 1, from - 1), fraction: position - index };
}

function at(grid: LogitGrid, x: number, y: number): number {
  return grid.logits[y * grid.width + x] ?? Number.NaN;
}

function mix(a: number, b: number, fraction: number): number {
  return a + (b - a) * fraction;
}
