/** Rates the masks that the decoder offers by their likeness to the tracked object. */
import { asShare, cosine, unit } from "../models/arithmetic.ts";
import { gridArea, type LogitGrid } from "@segmentation/masks";
import type { DrawnRegion, PictureAppearance } from "../models/model.ts";
import { coverage } from "../models/sam2/appearance.ts";

/** The object's expected properties, with which a mask is compared. */
export interface Expected {
  /** Its descriptors (see `descriptorOf`): where a region marked it, and where it was seen last. */
  readonly appearance: readonly Float32Array[];
  /** Its last area in cells of the decoder's grid; undefined if that is no evidence. */
  readonly area: number | undefined;
  /** The share of each cell that the votes give to the object. */
  readonly votes: Float32Array;
}

/** A mask and its ratings, each from 0 to 1. */
export interface Offer {
  readonly mask: LogitGrid;
  /** The share of each cell that the mask covers. */
  readonly inside: Float32Array;
  readonly descriptor: Float32Array;
  readonly quality: number;
  readonly likeness: number;
  readonly agreement: number;
  readonly similarArea: number;
  /** The product of all ratings. */
  readonly value: number;
}

/**
 * The mean appearance of a mask's cells, as a vector of length 1; zeros if it has none.
 * @param inside the share of each cell that the mask covers
 */
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

/** The soft IoU of a mask and the votes: the sum of the smaller shares divided by the sum of the larger. */
export function agreementOf(inside: Float32Array, votes: Float32Array): number {
  let [both, either] = [0, 0];
  for (const [cell, share] of inside.entries()) {
    const vote = votes[cell] ?? 0;
    both += Math.min(share, vote);
    either += Math.max(share, vote);
  }
  return either === 0 ? 0 : both / either;
}

/** Rates a mask. */
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

/** The offer with the highest value; undefined if all are 0. */
export const best = (offers: readonly Offer[]): Offer | undefined =>
  offers.reduce<Offer | undefined>(
    (top, offer) => (offer.value > (top?.value ?? 0) ? offer : top),
    undefined,
  );
