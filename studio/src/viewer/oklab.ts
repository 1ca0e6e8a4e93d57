import { byteOf, lightOf, linearOfOklch, type LinearRgb } from "@segmentation/masks";
import type { Colour } from "./types.ts";

// Colors as people see them (B. Ottosson, "A perceptual color space for image processing", 2020): there the distance of two is how
// different they look.

/** A color of OKLab: lightness, green to red, blue to yellow. */
type Lab = readonly [lightness: number, a: number, b: number];
type Rgb = Colour["rgb"];

/** Linear light to the nearest color of sRGB. */
const rgbOf = ([red, green, blue]: LinearRgb): Rgb => [
  Math.round(byteOf(red)),
  Math.round(byteOf(green)),
  Math.round(byteOf(blue)),
];

/** Bytes of sRGB to linear light. */
const linearOf = ([red, green, blue]: Rgb): LinearRgb => [lightOf(red), lightOf(green), lightOf(blue)];

function labOf([red, green, blue]: LinearRgb): Lab {
  const l = Math.cbrt(Math.max(0, 0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue));
  const m = Math.cbrt(Math.max(0, 0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue));
  const s = Math.cbrt(Math.max(0, 0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue));
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Linear light as people without cones for green see it (Machado, Oliveira and Fernandes, 2009). */
const withoutGreen = ([red, green, blue]: LinearRgb): LinearRgb => [
  0.367322 * red + 0.860646 * green - 0.227968 * blue,
  0.280085 * red + 0.672501 * green + 0.047413 * blue,
  -0.01182 * red + 0.04294 * green + 0.968881 * blue,
];

/** A color as most people see it, and as those do who can't tell red from green. */
export interface Seen {
  readonly all: Lab;
  readonly withoutGreen: Lab;
}

/** A perceived color of sRGB. */
export function seenOf(rgb: Rgb): Seen {
  const light = linearOf(rgb);
  return { all: labOf(light), withoutGreen: labOf(withoutGreen(light)) };
}

// Not by Math.hypot, which is ten times slower: a picture may have hundreds of masks.
const distance = (a: Lab, b: Lab): number =>
  Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2);

/** Difference of two colors to most people: their distance in OKLab. */
export const distanceOf = (a: Seen, b: Seen): number => distance(a.all, b.all);

/** The hue of a color in degrees, as most people see it. */
export const hueOf = ({ all: [, red, yellow] }: Seen): number => (Math.atan2(yellow, red) * 180) / Math.PI;

/** Those who see fewer colors need less of a distance to have as many of them. */
const WITHOUT_GREEN = 1.5;

/** Difference of two colors to everyone, 0 for the same. */
export const differenceOf = (a: Seen, b: Seen): number =>
  Math.min(distance(a.all, b.all), WITHOUT_GREEN * distance(a.withoutGreen, b.withoutGreen));

/** The strongest color of a lightness and hue that sRGB has, up to a chroma. @param hue in degrees */
export function strongest(lightness: number, hue: number, most: number): Rgb {
  for (let chroma = most; ; chroma -= 0.005) {
    const light = linearOfOklch(lightness, chroma, hue);
    if (chroma <= 0 || light.every((each) => each >= 0 && each <= 1)) return rgbOf(light);
  }
}

/** The mean of a mask's pixels in linear light, as they look from afar, as bytes of sRGB. */
export class MeanColour {
  #weight = 0;
  #sum: [number, number, number] = [0, 0, 0];

  /** @param weight how much of the pixel counts */
  add(red: number, green: number, blue: number, weight: number): void {
    const [r, g, b] = this.#sum;
    this.#sum = [r + weight * lightOf(red), g + weight * lightOf(green), b + weight * lightOf(blue)];
    this.#weight += weight;
  }

  /** Null if nothing counted. */
  get rgb(): Rgb | null {
    if (this.#weight === 0) return null;
    const [red, green, blue] = this.#sum;
    return rgbOf([red / this.#weight, green / this.#weight, blue / this.#weight]);
  }
}
