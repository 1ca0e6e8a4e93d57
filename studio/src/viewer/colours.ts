import { differenceOf, distanceOf, hueOf, type Seen, seenOf, strongest } from "./oklab.ts";
import type { Colour } from "./types.ts";

/** Default opacity of masks, 0 to 1. */
export const USUAL_OPACITY = 0.55;

type Rgb = Colour["rgb"];

interface Candidate {
  readonly colour: Colour;
  readonly seen: Seen;
}

/** Colors for masks, visible on light and dark pictures, and none of them gray. In OKLCH. */
const LIGHTNESSES = [0.72, 0.54, 0.6, 0.66, 0.78, 0.84, 0.9];
const CHROMAS = [0.25, 0.18, 0.12];
const FIRST_HUE = 250;
const HUE_STEP = 10;

/** The first one is a blue. */
const candidates: readonly Candidate[] = LIGHTNESSES.flatMap((lightness) =>
  Array.from({ length: 360 / HUE_STEP }, (_, i) => FIRST_HUE + i * HUE_STEP).flatMap((hue) =>
    CHROMAS.map((chroma) => candidateOf(strongest(lightness, hue, chroma))),
  ),
);

function candidateOf(rgb: Rgb): Candidate {
  return { colour: { rgb, css: `rgb(${rgb.join(" ")})` }, seen: seenOf(rgb) };
}

/** A mask that differs this much from its background is distinct: a greater difference is not better. */
const ENOUGH = 0.25;

/**
 * Colors for masks, one after the other: each is as different as can be from all before it, and from the background under its mask (the
 * greedy choice of the farthest point, after T. F. Gonzalez, 1985). So later ones change none of them.
 */
export class Palette {
  readonly #candidates: readonly Candidate[];
  /** Difference of each candidate from the most similar color in use. */
  #differences: number[];

  constructor(among: readonly Candidate[] = candidates) {
    this.#candidates = among;
    this.#differences = among.map(() => Infinity);
  }

  /** The next colour. @param under the mean color under the mask, as bytes of sRGB, if it is known */
  next(under?: Rgb): Colour {
    // There are no more: they come again.
    if (Math.max(...this.#differences) === 0) this.#differences = this.#candidates.map(() => Infinity);
    const background = under === undefined ? null : seenOf(under);
    const worths = this.#candidates.map(({ seen }, i) =>
      Math.min(
        this.#differences[i] ?? 0,
        background === null ? Infinity : Math.min(ENOUGH, differenceOf(seen, background)),
      ),
    );
    const best = this.#candidates[worths.indexOf(Math.max(...worths))] ?? candidateOf([0, 0, 0]);
    this.avoid(best.colour);
    return best.colour;
  }

  /** Makes later colors differ from a color that is given elsewhere. */
  avoid({ rgb }: Colour): void {
    const given = seenOf(rgb);
    this.#differences = this.#candidates.map(({ seen }, i) =>
      Math.min(this.#differences[i] ?? 0, differenceOf(seen, given)),
    );
  }
}

/** Number of labels with distinct colors; with more labels they repeat. */
const LABELS = 10;

const ofLabels: readonly Candidate[] = (() => {
  const palette = new Palette();
  return Array.from({ length: LABELS }, () => candidateOf(palette.next().rgb));
})();

/** Minimum distance in OKLab of a color from a label's, to be no shade of it. */
const SHADES = 0.2;

/** The hue says which label an object has, lightness and chroma which object it is. */
const SHADE_LIGHTNESSES = [0.42, 0.46, 0.5, 0.54, 0.58, 0.62, 0.66, 0.7, 0.74, 0.78, 0.82, 0.86, 0.9, 0.94];
const SHADE_CHROMAS = [0.25, 0.15, 0.08];

/**
 * The colors for the objects of a label: its own, and lighter, darker and paler ones of its hue that look more like it than like
 * another label's.
 * @param labels number of other labels: the fewer, the more different its shades may be
 */
export function paletteOf(label: number, labels = LABELS): Palette {
  const place = label % LABELS;
  const others = ofLabels.slice(0, Math.max(labels, place + 1));
  const own = others[place] ?? candidateOf([0, 0, 0]);
  const hue = hueOf(own.seen);
  const shades = SHADE_LIGHTNESSES.flatMap((lightness) =>
    SHADE_CHROMAS.map((chroma) => candidateOf(strongest(lightness, hue, chroma))),
  ).filter(({ seen }) => {
    const away = distanceOf(seen, own.seen);
    return others.every((other) => away <= distanceOf(seen, other.seen));
  });
  return new Palette([own, ...shades]);
}

/** The colors for objects without a label, each for itself: none is a shade of so many labels, unless these leave none. */
export function paletteBeside(labels: number): Palette {
  const given = ofLabels.slice(0, labels);
  const others = candidates.filter(({ seen }) =>
    given.every((label) => distanceOf(seen, label.seen) > SHADES),
  );
  const palette = new Palette(others.length < LABELS ? candidates : others);
  for (const { colour } of ofLabels) palette.avoid(colour);
  return palette;
}

/** Colors of a palette in their order, each made once. */
class Given {
  readonly #colours: Colour[] = [];
  readonly #palette: Palette;

  constructor(palette: Palette) {
    this.#palette = palette;
  }

  at(index: number): Colour {
    while (this.#colours.length <= index) this.#colours.push(this.#palette.next());
    return this.#colours[index] ?? this.#palette.next();
  }
}

const ofObjects = new Given(new Palette());
const ofLabel = new Map<string, Given>();

/** The color of the i-th object, from 0, where each object has a different one, on any background. */
export const objectColour = (object: number): Colour => ofObjects.at(object);

/**
 * The color of a label's i-th object, both counted from 0, on any background; without an object, or of the first, it is the label's.
 * The same everywhere and always.
 * @param labels as of `paletteOf`
 */
export function maskColour(label: number, instance = 0, labels = LABELS): Colour {
  const name = `${label % LABELS} of ${labels}`;
  const given = ofLabel.get(name) ?? new Given(paletteOf(label, labels));
  ofLabel.set(name, given);
  return given.at(instance);
}
