import { byteOf, linearOfOklch } from "@segmentation/masks";

/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [number, number, number];

const GOLDEN_ANGLE = 137.508;
const LIGHTNESS = [0.72, 0.65, 0.78];

/** The color of the i-th object: hues a golden angle apart never come close to their predecessors. */
export function objectColour(index: number): Rgb {
  const lightness = LIGHTNESS[index % LIGHTNESS.length] ?? 0.7;
  const [red, green, blue] = linearOfOklch(lightness, 0.19, 255 + index * GOLDEN_ANGLE);
  return [byteOf(red), byteOf(green), byteOf(blue)];
}

/** A color with its bytes at 55 %: a background on which white text is easy to read. */
export function darken([red, green, blue]: Rgb): Rgb {
  return [red * 0.55, green * 0.55, blue * 0.55];
}
