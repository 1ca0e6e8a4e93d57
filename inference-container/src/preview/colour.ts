/** Red, green and blue, 0 to 255. */
export type Rgb = readonly [number, number, number];

const GOLDEN_ANGLE = 137.508;
const LIGHTNESS = [0.72, 0.65, 0.78];

/** The colour of the i-th object: hues a golden angle apart never come close to their predecessors. */
export function objectColour(index: number): Rgb {
  return oklch(LIGHTNESS[index % LIGHTNESS.length] ?? 0.7, 0.19, 255 + index * GOLDEN_ANGLE);
}

/** A colour with its bytes at 55 %: a background on which white text is easy to read. */
export function darken([red, green, blue]: Rgb): Rgb {
  return [red * 0.55, green * 0.55, blue * 0.55];
}

/** OKLCH to sRGB (B. Ottosson, "A perceptual color space for image processing", 2020), clipped to the gamut. */
function oklch(lightness: number, chroma: number, degrees: number): Rgb {
  const a = chroma * Math.cos((degrees * Math.PI) / 180);
  const b = chroma * Math.sin((degrees * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

/** Linear light to an sRGB byte (IEC 61966-2-1). */
function gamma(linear: number): number {
  const light = Math.min(Math.max(linear, 0), 1);
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
}
