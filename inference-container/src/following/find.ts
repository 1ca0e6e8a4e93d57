/** Finds objects of earlier frames in a frame. Every continued mask comes from here. */
import type { Corners, RegionPoint, Size } from "@segmentation/masks";
import {
  gridArea,
  gridBounds,
  gridMoved,
  gridOverlap,
  type LogitGrid,
  type Region,
  samplesAt,
} from "@segmentation/masks";
import type { DrawnRegion, Followable, PictureAppearance } from "../models/model.ts";
import { best, type Expected, type Offer, weigh } from "./choice.ts";
import { cellsWithin, appearanceOf, type Memory } from "./memory.ts";
import { type Part, partsOf, windowAbout } from "./parts.ts";

/** Thresholds of the product that `weigh` computes. */
const LEAST = {
  /** Below this, another way of drawing is tried too. */
  sure: 0.8,
  /** Below this an object is lost. */
  followed: 0.3,
  /** From here, a lost object is found again. */
  found: 0.45,
} as const;

/** The mean vote of a part's cells above which a similar thing gets a point outside. */
const RIVAL = 0.5;

/** The most objects of a frame that are drawn in other ways: many would cost as much as the frame's features. */
const MOST_DOUBTFUL = 3;

/** The share of the smaller of two objects above which they are the same thing. */
const TAKEN = 0.5;

/** An object to find in a frame. */
export interface Sought {
  readonly objectId: number;
  readonly memory: Memory;
  /** True if a region marks it in several places: its parts may lie apart. */
  readonly inParts: boolean;
  /** Its certain appearance, by `descriptorOf`. */
  readonly descriptor: Float32Array;
  /** Its last mask and descriptor. */
  readonly last: Pick<Offer, "mask" | "descriptor">;
  /** Absent if it may be anywhere. */
  readonly expected: Place | undefined;
}

/** The expected place of an object, in pixels of the frame. */
interface Place {
  readonly box: Corners;
  /** Expected shift since the last detection, to the right and down. */
  readonly moved: readonly [number, number];
}

/** An object's mask in a frame. */
export interface Claim {
  readonly objectId: number;
  readonly mask: LogitGrid;
}

/** The frame to search. */
export interface Scene {
  /** The frame's size in pixels. */
  readonly frame: Size;
  readonly timeSec: number;
  readonly picture: Followable;
  readonly appearance: PictureAppearance;
}

/** An object that was found. */
export interface Found extends Offer {
  readonly sought: Sought;
  /** In pixels of the frame. */
  readonly box: Corners;
  /** Points on the object and off it, by the votes. */
  readonly points: readonly RegionPoint[];
}

/** An object's votes in a frame, and the regions that they suggest. */
interface Hunch {
  readonly sought: Sought;
  readonly expected: Expected;
  readonly regions: readonly Region[];
}

/**
 * Finds the objects that are in the frame.
 * @param others the objects that already have masks
 * @param mayShare tells whether two objects may be in one place, as a thing and a part of it
 */
export async function find(
  sought: readonly Sought[],
  scene: Scene,
  others: readonly Claim[],
  mayShare: (a: Claim, b: Claim) => boolean = () => false,
): Promise<Found[]> {
  // In parallel: the device counts the votes for one object while the engine prepares those of the next.
  const hunches = await Promise.all(sought.map((one) => hunchOf(one, scene)));
  const taken: Claim[] = [...others];
  const found: Found[] = [];
  for (const [{ sought: one, regions }, offer] of await choose(hunches, scene)) {
    if (offer.value < (one.expected === undefined ? LEAST.found : LEAST.followed)) continue;
    const claim = { objectId: one.objectId, mask: offer.mask };
    if (taken.some((other) => overlapTooMuch(claim, other) && !mayShare(claim, other))) continue;
    const box = gridBounds(offer.mask, scene.frame);
    if (box === undefined) continue;
    taken.push(claim);
    found.push({ ...offer, sought: one, box, points: regions.flatMap(({ points = [] }) => points) });
  }
  return found;
}

async function hunchOf(sought: Sought, { frame, picture, appearance }: Scene): Promise<Hunch> {
  const { memory, inParts, descriptor, last, expected } = sought;
  const window =
    expected === undefined
      ? new Float32Array(appearance.width * appearance.height).fill(1)
      : windowAbout(expected.box, frame, appearance);
  const cells = cellsWithin(window);
  const voted = await picture.votes(appearanceOf(appearance, cells), memory.known);
  const votes = new Float32Array(window.length);
  for (const [at, cell] of cells.entries()) votes[cell] = (voted[at] ?? 0) * (window[cell] ?? 0);
  const [part, ...others] = partsOf(votes, appearance, frame);
  const own = others.filter((other) => inParts && hadPart(sought, other, frame));
  const rivals = others.filter((other) => !own.includes(other));
  const area = expected === undefined ? undefined : gridArea(last.mask);
  return {
    sought,
    expected: { appearance: [descriptor, last.descriptor], area, votes },
    regions: part === undefined ? [] : [votedRegion([part, ...own], rivals)],
  };
}

/** The most likely mask of each object that has any, the surest first. */
async function choose(hunches: readonly Hunch[], scene: Scene): Promise<[Hunch, Offer][]> {
  const first = await draw(
    hunches.map((hunch) => [hunch, hunch.regions]),
    scene,
  );
  const doubtful = first
    .filter(([{ sought }, offer]) => sought.expected !== undefined && valueOf(offer) < LEAST.sure)
    .toSorted(([, a], [, b]) => valueOf(a) - valueOf(b))
    .slice(0, MOST_DOUBTFUL);
  const second = new Map(
    await draw(
      doubtful.map(([hunch], at) => [hunch, expectedRegions(hunch.sought, scene.frame, at === 0)]),
      scene,
    ),
  );
  return first
    .flatMap(([hunch, offer]): [Hunch, Offer][] => {
      const top = best([offer, second.get(hunch)].flatMap((one) => one ?? []));
      return top === undefined ? [] : [[hunch, top]];
    })
    .toSorted(([, a], [, b]) => b.value - a.value);
}

const valueOf = (offer: Offer | undefined): number => offer?.value ?? 0;

/** @param withPrior also tries the last mask as prior: it is rarely the best, and costs as much as the box alone */
function expectedRegions({ expected, last }: Sought, frame: Size, withPrior: boolean): Region[] {
  if (expected === undefined) return [];
  const { box, moved } = expected;
  return [{ box }, ...(withPrior ? [{ box, prior: gridMoved(last.mask, frame, moved) }] : [])];
}

async function draw(
  asked: readonly (readonly [Hunch, readonly Region[]])[],
  { picture, appearance }: Scene,
): Promise<[Hunch, Offer | undefined][]> {
  const offers: DrawnRegion[][] = await picture.offers(asked.flatMap(([, regions]) => regions));
  let at = 0;
  return asked.map(([hunch, { length }]) => {
    const own = offers.slice(at, (at += length)).flat();
    return [hunch, best(own.map((one) => weigh(one, appearance, hunch.expected)))];
  });
}

/** True if an object had a part when it was seen last, at the place before its expected shift. */
function hadPart({ last, expected }: Sought, { peak: { x, y } }: Part, frame: Size): boolean {
  const [right, down] = expected?.moved ?? [0, 0];
  return samplesAt(last.mask, { x: x - right, y: y - down }, frame).some(
    ({ cell }) => (last.mask.logits[cell] ?? 0) > 0,
  );
}

/**
 * The region that the votes suggest: the box of the object's parts, their peaks, and a point outside on the most
 * similar other thing.
 */
function votedRegion(parts: readonly Part[], others: readonly Part[]): Region {
  const rival = others.find(({ weight, cells }) => weight > RIVAL * cells.length);
  const boxes = parts.map(({ box }) => box);
  return {
    box: [
      Math.min(...boxes.map(([left]) => left)),
      Math.min(...boxes.map(([, top]) => top)),
      Math.max(...boxes.map(([, , right]) => right)),
      Math.max(...boxes.map(([, , , bottom]) => bottom)),
    ],
    points: [
      ...parts.map(({ peak }) => ({ ...peak, label: 1 as const })),
      ...(rival === undefined ? [] : [{ ...rival.peak, label: 0 as const }]),
    ],
  };
}

/** True if two masks overlap so much that they show the same thing, or a thing and a part of it. */
export const overlapTooMuch = ({ mask: a }: Claim, { mask: b }: Claim): boolean =>
  gridOverlap(a, b) > TAKEN * Math.min(gridArea(a), gridArea(b));
