import * as fc from "fast-check";

/** A mask, pixel by pixel, row by row. */
export interface DrawnMask {
  readonly width: number;
  readonly height: number;
  readonly pixels: readonly boolean[];
}

const side = fc.integer({ min: 1, max: 14 });

/** Small masks of any pixels: full of corners, holes and islands. */
export const drawnMasks: fc.Arbitrary<DrawnMask> = fc
  .record({ width: side, height: side })
  .chain(({ width, height }) =>
    fc
      .array(fc.boolean(), { minLength: width * height, maxLength: width * height })
      .map((pixels) => ({ width, height, pixels })),
  );

const share = fc.noBias(fc.double({ min: 0, max: 1, noNaN: true }));
const blob = fc.record({ x: share, y: share, across: share, down: share, turn: share, waves: fc.nat(7) });

/** Masks of 120 × 90 pixels that a few wavy ellipses are added to and cut out of in turn. */
export const wavyBlobs: fc.Arbitrary<DrawnMask> = fc
  .array(blob, { minLength: 1, maxLength: 6 })
  .map(([first, ...rest]) => {
    // The first is large and in the middle.
    const blobs = [...(first ? [{ ...first, x: 0.5, y: 0.5, across: 0.7, down: 0.7 }] : []), ...rest];
    const [width, height] = [120, 90];
    const pixels = Array.from({ length: width * height }, (_, at) => {
      const [px, py] = [at % width, Math.floor(at / width)];
      return blobs.reduce((isSet, { x, y, across, down, turn, waves }, i) => {
        const dx = (px - x * width) / (5 + across * 60);
        const dy = (py - y * height) / (5 + down * 60);
        const edge = 1 + 0.2 * Math.sin(waves * Math.atan2(dy, dx) + turn * 6);
        return Math.hypot(dx, dy) < edge ? i % 2 === 0 : isSet;
      }, false);
    });
    return { width, height, pixels };
  });
