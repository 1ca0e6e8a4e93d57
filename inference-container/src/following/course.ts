/** Follows objects from frame to frame in one direction of time, from where they were pointed at. */
import { type Box, clipBox } from "../models/box.ts";
import { gridArea, gridBounds, gridMoved, gridOverlap } from "../models/mask-shape.ts";
import type { DrawnRegion, Followable, LogitGrid, PictureLooks, Region } from "../models/model.ts";
import type { Size } from "../size.ts";
import { Track } from "../tracking/track.ts";
import { best, type Expected, type Offer, weigh } from "./choice.ts";
import { isCut } from "./cut.ts";
import { cellsWithin, glimpse, looksOf, Memory } from "./memory.ts";
import { type Part, partsOf, windowAbout } from "./parts.ts";
import type { Moment, PointedAt } from "./pointed.ts";

/** An object in a frame. */
export interface Sighting {
  readonly objectId: number;
  readonly mask: LogitGrid;
  /** In pixels of the frame. */
  readonly box: Box;
  /** How sure it is that this is the object, 0 to 1. */
  readonly score: number;
}

/** What a drawing has to be worth: the product that `weigh` makes. */
const LEAST = {
  /** Below this another way of drawing is tried, too. */
  sure: 0.8,
  /** Below this an object is lost. */
  followed: 0.3,
  /** From this on a lost object is found again. */
  found: 0.45,
} as const;

/** The share of its cells' votes from which on what looks like the object, and is not it, gets a point outside. */
const RIVAL = 0.5;

/** How many objects of a frame are drawn in other ways: many would cost as much as the frame's features. */
const MOST_DOUBTFUL = 3;

/** The share of the smaller of two objects from which on they are the same thing twice. */
const TAKEN = 0.5;

interface Pursuit {
  readonly object: PointedAt;
  readonly memory: Memory;
  /** Begins anew wherever the object was pointed at, and where it was found again. */
  track: Track;
  last: Pick<Offer, "mask" | "look"> & { readonly area: number };
  lost: boolean;
  /** The moment of the latest frame with the object's region. */
  readonly begun: Moment;
}

/** What an object's votes say in a frame. */
interface Hunch {
  readonly pursuit: Pursuit;
  readonly expected: Expected;
  readonly predicted: Box | undefined;
  readonly regions: readonly Region[];
}

export class Course {
  readonly #objects: readonly PointedAt[];
  readonly #frame: Size;
  readonly #direction: 1 | -1;
  #pursuits: readonly Pursuit[] = [];
  #before: PictureLooks | undefined;
  /** Pairs of objects that were pointed at as a thing and a part of it. */
  readonly #nested = new Set<string>();

  /** @param frame the size of the frames that will come @param direction 1 if frames come by ascending times, -1 by descending ones */
  constructor(objects: readonly PointedAt[], frame: Size, direction: 1 | -1) {
    this.#objects = objects;
    this.#frame = frame;
    this.#direction = direction;
  }

  /** The objects in the next frame. */
  async next(timeSec: number, picture: Followable): Promise<Sighting[]> {
    const looks = await picture.looks();
    if (this.#before !== undefined && isCut(this.#before, looks)) this.#pursuits = [];
    this.#before = looks;
    const shown = this.#pointedAt(timeSec);
    const followed = this.#pursuits.filter(({ object }) => !shown.has(object.objectId));
    const near = await this.#find(followed, [...shown.values()], timeSec, picture, looks);
    // What is not where it was expected may be anywhere: it is moving faster than was known.
    const missed = followed.filter(({ object, lost }) => !lost && !near.has(object.objectId));
    for (const pursuit of missed) pursuit.lost = true;
    const anywhere = await this.#find(missed, [...shown.values(), ...near.values()], timeSec, picture, looks);
    const seen = [...near.values(), ...anywhere.values()];
    return Array.from([...shown.values(), ...seen], ({ mask, ...rest }) => ({
      ...rest,
      mask: picture.cleaned(mask),
    }));
  }

  /** Those of the objects that are found, by their ids, and remembers them. @param others the objects that have their masks */
  async #find(
    pursuits: readonly Pursuit[],
    others: readonly Sighting[],
    timeSec: number,
    picture: Followable,
    looks: PictureLooks,
  ): Promise<Map<number, Sighting>> {
    const hunches: Hunch[] = [];
    for (const pursuit of pursuits) hunches.push(await this.#hunch(pursuit, timeSec, picture, looks));
    const accepted = this.#accept(await this.#choose(hunches, picture, looks), others);
    const seen = accepted.flatMap(([{ pursuit }, offer]) => this.#see(pursuit, timeSec, offer, looks));
    return new Map(seen.map((sighting) => [sighting.objectId, sighting]));
  }

  /** Whether a frame has to be looked at: an object is followed, or was pointed at in it. */
  follows(timeSec: number): boolean {
    return this.#pursuits.length > 0 || this.#objects.some((object) => this.#momentAt(object, timeSec));
  }

  /** Where an object was pointed at in the frame at a time. Backwards it is followed from its first region alone. */
  #momentAt({ moments }: PointedAt, timeSec: number): Moment | undefined {
    return (this.#direction === 1 ? moments : moments.slice(0, 1)).find((one) => one.timeSec === timeSec);
  }

  /** The objects that were pointed at in this frame; they are followed from there. */
  #pointedAt(timeSec: number): Map<number, Sighting> {
    const shown = new Map<number, Sighting>();
    for (const object of this.#objects) {
      const moment = this.#momentAt(object, timeSec);
      if (moment === undefined) continue;
      const { box, mask, score } = moment;
      shown.set(object.objectId, { objectId: object.objectId, mask, box, score });
      const known = this.#pursuits.find((one) => one.object === object);
      const track = new Track(object.objectId, 0, this.#direction * timeSec, box);
      const pursuit: Pursuit = {
        object,
        memory: known?.memory ?? new Memory(object.moments.map(({ remembered }) => remembered)),
        track,
        last: { mask, look: moment.look, area: gridArea(mask) },
        lost: false,
        begun: moment,
      };
      this.#pursuits = [...this.#pursuits.filter((one) => one !== known), pursuit];
    }
    for (const one of shown.values())
      for (const other of shown.values())
        if (overlapTooMuch(one, other)) this.#nested.add(pairOf(one, other));
    return shown;
  }

  async #hunch(pursuit: Pursuit, timeSec: number, picture: Followable, looks: PictureLooks): Promise<Hunch> {
    const { memory, track, last, lost } = pursuit;
    const predicted = lost
      ? undefined
      : clipBox(track.boxAt(this.#direction * timeSec), this.#frame.width, this.#frame.height);
    const window =
      predicted === undefined
        ? new Float32Array(looks.width * looks.height).fill(1)
        : windowAbout(predicted, this.#frame, looks);
    const votes = await votesWithin(window, memory, timeSec, picture, looks);
    const [part, ...others] = partsOf(votes, looks, this.#frame);
    const expected: Expected = {
      looks: [pursuit.begun.look, last.look],
      area: lost ? undefined : last.area,
      votes,
    };
    const regions = part === undefined ? [] : [votedRegion(part, others)];
    return { pursuit, expected, predicted, regions };
  }

  /** The most likely mask of each object, undefined if there is none. */
  async #choose(
    hunches: readonly Hunch[],
    picture: Followable,
    looks: PictureLooks,
  ): Promise<[Hunch, Offer | undefined][]> {
    const first = await this.#draw(
      hunches.map((hunch) => [hunch, hunch.regions]),
      picture,
      looks,
    );
    const doubtful = first
      .filter(([{ predicted }, offer]) => predicted !== undefined && (offer?.value ?? 0) < LEAST.sure)
      .toSorted(([, a], [, b]) => (a?.value ?? 0) - (b?.value ?? 0))
      .slice(0, MOST_DOUBTFUL);
    const second = new Map(
      await this.#draw(
        doubtful.map(([hunch]) => [hunch, this.#predictedRegions(hunch)]),
        picture,
        looks,
      ),
    );
    return first.map(([hunch, offer]) => [
      hunch,
      best([offer, second.get(hunch)].flatMap((one) => one ?? [])),
    ]);
  }

  #predictedRegions({ predicted, pursuit: { last, track } }: Hunch): Region[] {
    if (predicted === undefined) return [];
    const moved = [
      (predicted[0] + predicted[2] - track.lastBox[0] - track.lastBox[2]) / 2,
      (predicted[1] + predicted[3] - track.lastBox[1] - track.lastBox[3]) / 2,
    ] as const;
    return [{ box: predicted }, { box: predicted, prior: gridMoved(last.mask, this.#frame, moved) }];
  }

  async #draw(
    asked: readonly (readonly [Hunch, readonly Region[]])[],
    picture: Followable,
    looks: PictureLooks,
  ): Promise<[Hunch, Offer | undefined][]> {
    const offers: DrawnRegion[][] = await picture.offers(asked.flatMap(([, regions]) => regions));
    let at = 0;
    return asked.map(([hunch, { length }]) => {
      const own = offers.slice(at, (at += length)).flat();
      return [hunch, best(own.map((one) => weigh(one, looks, hunch.expected)))];
    });
  }

  /** The masks that are the objects: each likely enough, and no thing as two objects. */
  #accept(found: readonly [Hunch, Offer | undefined][], shown: readonly Sighting[]): [Hunch, Offer][] {
    const taken: Claim[] = [...shown];
    const accepted: [Hunch, Offer][] = [];
    for (const [hunch, offer] of found.toSorted(([, a], [, b]) => (b?.value ?? 0) - (a?.value ?? 0))) {
      const { lost, object } = hunch.pursuit;
      if (offer === undefined || offer.value < (lost ? LEAST.found : LEAST.followed)) continue;
      const claim = { objectId: object.objectId, mask: offer.mask };
      if (taken.some((other) => overlapTooMuch(claim, other) && !this.#nested.has(pairOf(claim, other))))
        continue;
      taken.push(claim);
      accepted.push([hunch, offer]);
    }
    return accepted;
  }

  /** Remembers an object in a frame. @returns where it was seen, or nothing if the mask has no pixel */
  #see(
    pursuit: Pursuit,
    timeSec: number,
    { mask, look, inside, value }: Offer,
    looks: PictureLooks,
  ): Sighting[] {
    const box = gridBounds(mask, this.#frame);
    if (box === undefined) return [];
    const time = this.#direction * timeSec;
    if (pursuit.lost) pursuit.track = new Track(pursuit.object.objectId, 0, time, box);
    else pursuit.track.observe(time, box);
    pursuit.lost = false;
    pursuit.last = { mask, look, area: gridArea(mask) };
    const known = glimpse(looks, windowAbout(box, this.#frame, looks), inside);
    pursuit.memory.add({ timeSec, sureness: value, known });
    return [{ objectId: pursuit.object.objectId, mask, box, score: value }];
  }
}

/** The votes on each cell of a frame, less the further it is from where the object is expected. */
async function votesWithin(
  window: Float32Array,
  memory: Memory,
  timeSec: number,
  picture: Followable,
  looks: PictureLooks,
): Promise<Float32Array> {
  const cells = cellsWithin(window);
  const votes = await picture.votes(looksOf(looks, cells), memory.knownAt(timeSec));
  const all = new Float32Array(window.length);
  for (const [at, cell] of cells.entries()) all[cell] = (votes[at] ?? 0) * (window[cell] ?? 0);
  return all;
}

/** Where the votes see an object: the box of its heaviest part, its peak, and a point outside it on what looks most like it. */
function votedRegion({ box, peak }: Part, others: readonly Part[]): Region {
  const rival = others.find(({ weight, cells }) => weight > RIVAL * cells.length);
  return {
    box,
    points: [{ ...peak, label: 1 }, ...(rival === undefined ? [] : [{ ...rival.peak, label: 0 as const }])],
  };
}

/** An object's mask in a frame. */
type Claim = Pick<Sighting, "objectId" | "mask">;

/** Whether two masks are the same thing, unless one object is a part of the other. */
const overlapTooMuch = ({ mask: a }: Claim, { mask: b }: Claim): boolean =>
  gridOverlap(a, b) > TAKEN * Math.min(gridArea(a), gridArea(b));

const pairOf = ({ objectId: a }: Claim, { objectId: b }: Claim): string =>
  `${Math.min(a, b)} ${Math.max(a, b)}`;
