/** Red, green and blue as amounts of light: 0 to 1 where sRGB has the color. */
export type LinearRgb = readonly [red: number, green: number, blue: number];

/** OKLCH to linear sRGB (B. Ottosson, "A perceptual color space for image processing", 2020). @param hue in degrees */
export function linearOfOklch(lightness: number, chroma: number, hue: number): LinearRgb {
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

/** A byte of sRGB, 0 to 255, to linear light, 0 to 1 (IEC 61966-2-1). */
export const lightOf = (byte: number): number =>
  byte <= 0.04045 * 255 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4;

/** Linear light, clipped to 0 to 1, to a byte of sRGB, not rounded: 0 to 255 (IEC 61966-2-1). */
export function byteOf(light: number): number {
  const clipped = Math.min(Math.max(light, 0), 1);
  return 255 * (clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055);
}
