import { describe, expect, it } from "vitest";
import { maskColour, objectColour } from "../../src/viewer/colours.ts";

type Rgb = readonly number[];

const PROMPTS = 10;

/** A byte of sRGB to linear light (IEC 61966-2-1). */
const linear = (byte: number): number =>
  byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4;

/** How people see linear light who lack the cones for green (Machado, Oliveira and Fernandes, 2009). */
const withoutGreen = ([r = 0, g = 0, b = 0]: Rgb): Rgb => [
  0.367322 * r + 0.860646 * g - 0.227968 * b,
  0.280085 * r + 0.672501 * g + 0.047413 * b,
  -0.01182 * r + 0.04294 * g + 0.968881 * b,
];

/** Linear light in Oklab (B. Ottosson, 2020), in which distances are as people see them. */
function oklab([r = 0, g = 0, b = 0]: Rgb): Rgb {
  const l = Math.cbrt(Math.max(0, 0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b));
  const m = Math.cbrt(Math.max(0, 0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b));
  const s = Math.cbrt(Math.max(0, 0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b));
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

const distance = (a: Rgb, b: Rgb): number => Math.hypot(...a.map((each, i) => each - (b[i] ?? 0)));
const seen = (prompt: number, instance = 0): Rgb => maskColour(prompt, instance).rgb.map(linear);

describe("the colours of masks", () => {
  it("of ten prompts are distinguishable for everyone, also for those who can't tell red from green", () => {
    for (let a = 0; a < PROMPTS; a++)
      for (let b = 0; b < a; b++) {
        expect(distance(oklab(seen(a)), oklab(seen(b)))).toBeGreaterThan(0.1);
        expect(distance(oklab(withoutGreen(seen(a))), oklab(withoutGreen(seen(b))))).toBeGreaterThan(0.07);
      }
  });

  it("of one prompt's objects are distinguishable from their neighbours", () => {
    for (let prompt = 0; prompt < PROMPTS; prompt++)
      for (let i = 0; i < 7; i++)
        expect(distance(oklab(seen(prompt, i)), oklab(seen(prompt, i + 1)))).toBeGreaterThan(0.05);
  });

  it("of objects that each have one of their own are as far apart as those of prompts", () => {
    const objects = Array.from({ length: 14 }, (_, i) => objectColour(i).css);
    expect(new Set(objects).size).toBe(14);
    expect(objects.slice(0, PROMPTS)).toEqual(Array.from({ length: PROMPTS }, (_, i) => maskColour(i).css));
  });

  it("are the same each time, as CSS and as bytes", () => {
    expect(maskColour(0).css).toBe(`rgb(${maskColour(0).rgb.join(" ")})`);
    expect(maskColour(3, 2)).toEqual(maskColour(3, 2));
    expect(maskColour(4, 0)).toEqual(maskColour(4));
    for (const byte of maskColour(12, 34).rgb)
      expect(byte >= 0 && byte <= 255 && Number.isInteger(byte)).toBe(true);
  });
});
