import type { Colour } from "./types.ts";

// Colours as people see them (B. Ottosson, "A perceptual color space for image processing", 2020): there the distance of two is how
// different they look.

/** A colour of OKLab: lightness, green to red, blue to yellow. */
export type Lab = readonly [lightness: number, a: number, b: number];
type Rgb = Colour["rgb"];
type Linear = readonly [red: number, green: number, blue: number];

/** A byte of sRGB to linear light, 0 to 1 (IEC 61966-2-1). */
const lightOf = (byte: number): number =>
  byte <= 0.04045 * 255 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4;

/** Linear light to a byte of sRGB (IEC 61966-2-1). */
function byteOf(light: number): number {
  const clipped = Math.min(Math.max(light, 0), 1);
  return Math.round(255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055));
}

/** Bytes of sRGB to linear light. */
const linearOf = ([red, green, blue]: Rgb): Linear => [lightOf(red), lightOf(green), lightOf(blue)];

function labOf([red, green, blue]: Linear): Lab {
  const l = Math.cbrt(Math.max(0, 0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue));
  const m = Math.cbrt(Math.max(0, 0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue));
  const s = Math.cbrt(Math.max(0, 0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue));
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** How people see linear light who lack the cones for green (Machado, Oliveira and Fernandes, 2009). */
const withoutGreen = ([red, green, blue]: Linear): Linear => [
  0.367322 * red + 0.860646 * green - 0.227968 * blue,
  0.280085 * red + 0.672501 * green + 0.047413 * blue,
  -0.01182 * red + 0.04294 * green + 0.968881 * blue,
];

/** A colour as most people see it, and as those do who can't tell red from green. */
export interface Seen {
  readonly all: Lab;
  readonly withoutGreen: Lab;
}

/** A colour of sRGB as it is seen. */
export function seenOf(rgb: Rgb): Seen {
  const light = linearOf(rgb);
  return { all: labOf(light), withoutGreen: labOf(withoutGreen(light)) };
}

// Not by Math.hypot, which is ten times slower: a picture may have hundreds of masks.
const distance = (a: Lab, b: Lab): number =>
  Math.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2);

/** How different two colours look to most people: their distance in OKLab. */
export const distanceOf = (a: Seen, b: Seen): number => distance(a.all, b.all);

/** Those who see fewer colours need less of a distance to have as many of them. */
const WITHOUT_GREEN = 1.5;

/** How different two colours look to everyone: 0 for the same. */
export const differenceOf = (a: Seen, b: Seen): number =>
  Math.min(distance(a.all, b.all), WITHOUT_GREEN * distance(a.withoutGreen, b.withoutGreen));

/** OKLCH to linear sRGB; outside 0 to 1 if sRGB does not have it. @param hue in degrees */
function linear(lightness: number, chroma: number, hue: number): Linear {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

/** The strongest colour of a lightness and hue that sRGB has, up to a chroma. @param hue in degrees */
export function strongest(lightness: number, hue: number, most: number): Rgb {
  for (let chroma = most; ; chroma -= 0.005) {
    const light = linear(lightness, chroma, hue);
    if (chroma <= 0 || light.every((each) => each >= 0 && each <= 1)) {
      const [red, green, blue] = light;
      return [byteOf(red), byteOf(green), byteOf(blue)];
    }
  }
}

/** The mean of a mask's pixels in linear light, which is what is seen of them from afar, as bytes of sRGB. */
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
    return [byteOf(red / this.#weight), byteOf(green / this.#weight), byteOf(blue / this.#weight)];
  }
}
