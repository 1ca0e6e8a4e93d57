import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskColour, objectColour, Palette, paletteOf } from "../../../src/viewer/colours.ts";
import { differenceOf, distanceOf, hueOf, MeanColour, seenOf } from "../../../src/viewer/oklab.ts";

type Rgb = ReturnType<typeof maskColour>["rgb"];

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const difference = (a: Rgb, b: Rgb): number => differenceOf(seenOf(a), seenOf(b));
const distance = (a: Rgb, b: Rgb): number => distanceOf(seenOf(a), seenOf(b));
/** The smallest difference of two of some colours. */
const least = (colours: readonly Rgb[], of = difference): number =>
  Math.min(...colours.flatMap((a, i) => colours.slice(0, i).map((b) => of(a, b))));
const some = (count: number, colour: (i: number) => { readonly rgb: Rgb }): Rgb[] =>
  Array.from({ length: count }, (_, i) => colour(i).rgb);

const byte = fc.integer({ min: 0, max: 255 });
const pixel = fc.tuple(byte, byte, byte);
/** Colors under so many masks: each its own, or a crowd on one lawn; of some it is not known. */
const backgrounds = (size: { minLength: number; maxLength: number }) =>
  fc.oneof(
    fc.array(fc.option(pixel, { nil: undefined }), size),
    fc
      .tuple(pixel, fc.integer({ min: size.minLength, max: size.maxLength }))
      .map(([one, count]) => Array.from({ length: count }, () => one)),
  );
const given = (palette: Palette, under: readonly (Rgb | undefined)[]): Rgb[] =>
  under.map((each) => palette.next(each).rgb);

describe("the colors of masks", () => {
  it("are as people see them: a difference of colors is their distance in OKLab, even without the cones for green", () => {
    const { all } = seenOf([255, 0, 0]);
    // The example of Ottosson's article, for the red of sRGB.
    expect(all.map((each) => Number(each.toFixed(3)))).toEqual([0.628, 0.225, 0.126]);
    expect(distance([255, 255, 255], [0, 0, 0])).toBeCloseTo(1, 3);
    expect(difference([90, 120, 0], [150, 100, 0])).toBeLessThan(distance([90, 120, 0], [150, 100, 0]));
  });

  it("of ten labels, and of 14 objects with separate colors, are distinguishable for everyone", () => {
    expect(least(some(10, (i) => maskColour(i)))).toBeGreaterThan(0.15);
    expect(least(some(14, objectColour))).toBeGreaterThan(0.13);
    expect(some(10, objectColour)).toEqual(some(10, (i) => maskColour(i)));
  });

  it("of 14 objects of a label are 14 shades of its hue: none resembles another label more", () => {
    for (const labels of [2, 3, 4])
      for (let label = 0; label < labels; label++) {
        const shades = some(14, (i) => maskColour(label, i, labels));
        expect(least(shades, distance)).toBeGreaterThan(0.035);
        expect(shades[0]).toEqual(maskColour(label).rgb);
        for (const shade of shades) {
          // Bytes of a pale color round its hue.
          expect(
            Math.cos(radians(hueOf(seenOf(shade)) - hueOf(seenOf(maskColour(label).rgb)))),
          ).toBeGreaterThan(Math.cos(radians(3)));
          for (let other = 0; other < labels; other++)
            expect(distance(shade, maskColour(label).rgb)).toBeLessThanOrEqual(
              distance(shade, maskColour(other).rgb),
            );
        }
      }
  });

  it("differ from each other and from any background", () => {
    fc.assert(
      fc.property(backgrounds({ minLength: 1, maxLength: 14 }), (under) => {
        const colours = given(new Palette(), under);
        expect(least(colours)).toBeGreaterThan(0.09);
        for (const [i, colour] of colours.entries())
          expect(difference(colour, under[i] ?? [140, 140, 140])).toBeGreaterThan(
            under[i] === undefined ? 0 : 0.09,
          );
      }),
    );
  });

  it("stay the same when more objects come", () => {
    fc.assert(
      fc.property(backgrounds({ minLength: 2, maxLength: 12 }), fc.nat(9), (under, label) => {
        for (const palette of [() => new Palette(), () => paletteOf(label)])
          expect(given(palette(), under.slice(0, -1))).toEqual(given(palette(), under).slice(0, -1));
      }),
    );
  });

  it("are given to any number of objects", () => {
    const palette = paletteOf(3);
    const colours = some(2_000, () => palette.next());
    expect(new Set(colours.map(String)).size).toBeGreaterThan(10);
    for (const channel of colours.flat())
      expect(channel >= 0 && channel <= 255 && Number.isInteger(channel)).toBe(true);
  });

  it("avoid red on a red cup, unless the label is red; then they take another shade of red", () => {
    const cup = [170, 40, 40] as const;
    expect(distance(new Palette().next(cup).rgb, cup)).toBeGreaterThan(0.2);
    for (let label = 0; label < 2; label++)
      expect(distance(paletteOf(label, 2).next(cup).rgb, cup)).toBeGreaterThan(0.2);
  });

  it("know the background of a mask by the mean of its light, each pixel by its coverage", () => {
    fc.assert(
      fc.property(pixel, pixel, ([...one], other) => {
        const mean = new MeanColour();
        expect(mean.rgb).toBeNull();
        mean.add(...other, 0);
        expect(mean.rgb).toBeNull();
        mean.add(...one, 0.25);
        expect(mean.rgb).toEqual(one);
        mean.add(...other, 0.25);
        for (const [i, channel] of (mean.rgb ?? []).entries()) {
          expect(channel).toBeGreaterThanOrEqual(Math.min(one[i] ?? 0, other[i] ?? 0));
          expect(channel).toBeLessThanOrEqual(Math.max(one[i] ?? 0, other[i] ?? 0));
        }
      }),
    );
  });
});
