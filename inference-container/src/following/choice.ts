/** How likely a mask that the decoder offers is the object that is followed. */
import { asShare, cosine, unit } from "../models/arithmetic.ts";
import { gridArea } from "../models/mask-shape.ts";
import type { DrawnRegion, LogitGrid, PictureAppearance } from "../models/model.ts";
import { coverage } from "../models/sam2/appearance.ts";

/** What a mask is compared with. */
export interface Expected {
  /** What the object looks like, by `descriptorOf`: where it was pointed at, and where it was seen last. */
  readonly appearance: readonly Float32Array[];
  /** Its area in cells of the decoder's grid, when it was seen last; undefined if that says nothing. */
  readonly area: number | undefined;
  /** Of each cell of the picture's looks, how much of it the votes give to the object. */
  readonly votes: Float32Array;
}

/** A mask, and what speaks for it, each from 0 to 1. */
export interface Offer {
  readonly mask: LogitGrid;
  /** Of each cell of the picture's looks, how much of it the mask has. */
  readonly inside: Float32Array;
  readonly descriptor: Float32Array;
  readonly quality: number;
  readonly likeness: number;
  readonly agreement: number;
  readonly similarArea: number;
  /** The product of all. */
  readonly value: number;
}

/** The mean of what a mask's cells look like, as a vector of length 1; zeros if it has none. @param inside of each cell, how much of it the mask has */
export function descriptorOf(
  { channels, appearance }: PictureAppearance,
  inside: Float32Array,
): Float32Array {
  const sum = new Float32Array(channels);
  for (const [cell, share] of inside.entries()) {
    if (share === 0) continue;
    for (let channel = 0; channel < channels; channel += 1)
      sum[channel] = (sum[channel] ?? 0) + share * (appearance[cell * channels + channel] ?? 0);
  }
  return unit(sum);
}

/** The soft IoU of what a mask has with what the votes say: the sum of the smaller by the sum of the larger shares. */
export function agreementOf(inside: Float32Array, votes: Float32Array): number {
  let [both, either] = [0, 0];
  for (const [cell, share] of inside.entries()) {
    const vote = votes[cell] ?? 0;
    both += Math.min(share, vote);
    either += Math.max(share, vote);
  }
  return either === 0 ? 0 : both / either;
}

/** What speaks for a mask. */
export function weigh({ mask, quality }: DrawnRegion, picture: PictureAppearance, expected: Expected): Offer {
  const inside = coverage(mask, picture.width, picture.height);
  const descriptor = descriptorOf(picture, inside);
  const area = gridArea(mask);
  const likeness = asShare(
    expected.appearance.reduce((sum, other) => sum + cosine(descriptor, other), 0) /
      expected.appearance.length,
  );
  const agreement = agreementOf(inside, expected.votes);
  const similarArea =
    expected.area === undefined || area === 0
      ? Math.min(area, 1)
      : Math.sqrt(Math.min(area / expected.area, expected.area / area));
  const value = asShare(quality) * likeness * agreement * similarArea;
  return { mask, inside, descriptor, quality: asShare(quality), likeness, agreement, similarArea, value };
}

/** The offer with the highest value; undefined if there is none with any. */
export const best = (offers: readonly Offer[]): Offer | undefined =>
  offers.reduce<Offer | undefined>(
    (top, offer) => (offer.value > (top?.value ?? 0) ? offer : top),
    undefined,
  );
