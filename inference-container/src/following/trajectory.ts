/** Follows objects from frame to frame in one direction of time, from the frames in which regions mark them. */
import { clipBox } from "../models/box.ts";
import type { Corners, LogitGrid, Region, Size } from "@segmentation/masks";
import type { Followable, PictureAppearance } from "../models/model.ts";
import { Track } from "../tracking/track.ts";
import { isCut } from "./cut.ts";
import { type Claim, find, type Found, overlapTooMuch, type Scene, type Sought } from "./find.ts";
import { glimpse, Memory } from "./memory.ts";
import { windowAbout } from "./parts.ts";
import { type Corrected, type Moment, momentOf, type PointedAt } from "./pointed.ts";

/** An object in a frame. */
export interface Sighting {
  readonly objectId: number;
  readonly mask: LogitGrid;
  /** In pixels of the frame. */
  readonly box: Corners;
  /** The certainty that this is the object, 0 to 1. */
  readonly score: number;
}

/** An object in a frame without a region for it. If points began it, has the voted points. */
interface Followed extends Sighting {
  readonly points: Found["points"] | undefined;
}

interface Pursuit {
  readonly object: PointedAt;
  readonly memory: Memory;
  /** Restarts in each frame with a region, and after the object was lost. */
  track: Track;
  last: Sought["last"];
  lost: boolean;
  /** True after a cut: the object is not searched until a region marks it again. */
  over: boolean;
  /** The latest frame with a region for it. */
  readonly begun: Moment;
}

export class Trajectory {
  readonly #objects: readonly PointedAt[];
  readonly #frame: Size;
  readonly #direction: 1 | -1;
  #pursuits: readonly Pursuit[] = [];
  #before: PictureAppearance | undefined;
  /** Pairs of objects of which one is a part of the other. */
  readonly #nested = new Set<string>();

  /** @param frame the size of the frames @param direction 1 if frames come by ascending times, -1 by descending ones */
  constructor(objects: readonly PointedAt[], frame: Size, direction: 1 | -1) {
    this.#objects = objects;
    this.#frame = frame;
    this.#direction = direction;
  }

  /** The objects in the next frame. */
  async next(timeSec: number, picture: Followable): Promise<Sighting[]> {
    const appearance = await picture.appearance();
    if (this.#before !== undefined && isCut(this.#before, appearance))
      for (const pursuit of this.#pursuits) pursuit.over = true;
    this.#before = appearance;
    const scene = { frame: this.#frame, timeSec, picture, appearance };
    const shown = await this.#pointedAt(scene);
    const followed = this.#pursuits.filter(
      ({ object, over }) => !over && !shown.some(({ objectId }) => objectId === object.objectId),
    );
    const near = await this.#find(followed, shown, scene);
    // An object away from its expected place may be anywhere: it moves faster than expected.
    const missed = followed.filter(
      ({ object, lost }) => !lost && !near.some(({ objectId }) => objectId === object.objectId),
    );
    for (const pursuit of missed) pursuit.lost = true;
    const anywhere = await this.#find(missed, [...shown, ...near], scene);
    const found = Array.from([...near, ...anywhere], ({ mask, points, ...rest }) => ({
      ...rest,
      mask: picture.cleaned(mask, points === undefined ? {} : { points }),
    }));
    return [...shown, ...found];
  }

  /** Finds some of the objects, and remembers them. @param others the objects that already have masks */
  async #find(pursuits: readonly Pursuit[], others: readonly Sighting[], scene: Scene): Promise<Followed[]> {
    const sought = new Map(pursuits.map((pursuit) => [this.#soughtIn(scene, pursuit), pursuit]));
    const found = await find([...sought.keys()], scene, others, (a, b) => this.#nested.has(pairOf(a, b)));
    return found.map((one) => {
      const pursuit = sought.get(one.sought);
      if (pursuit !== undefined) this.#see(pursuit, one, scene);
      const { mask, box, value: score, points } = one;
      const isByPoints = pursuit?.begun.region.points !== undefined;
      return { objectId: one.sought.objectId, mask, box, score, points: isByPoints ? points : undefined };
    });
  }

  #soughtIn({ frame, timeSec }: Scene, { object, memory, begun, last, track, lost }: Pursuit): Sought {
    const box = lost ? undefined : clipBox(track.boxAt(this.#direction * timeSec), frame.width, frame.height);
    return {
      objectId: object.objectId,
      memory,
      inParts: (begun.region.points ?? []).filter(({ label }) => label === 1).length > 1,
      descriptor: begun.descriptor,
      last,
      expected: box && { box, moved: shiftOf(track.lastBox, box) },
    };
  }

  /** True if the frame has an object to track, or a region that marks one. */
  follows(timeSec: number): boolean {
    return (
      this.#pursuits.some(({ over }) => !over) ||
      this.#objects.some((object) => this.#regionAt(object, timeSec) !== undefined)
    );
  }

  /**
   * The region that marks an object in the frame at a time. Corrections before its first region belong to the other
   * direction.
   */
  #regionAt({ regions }: PointedAt, timeSec: number): Region | undefined {
    const [first = timeSec] = regions.keys();
    return this.#direction * (timeSec - first) < 0 ? undefined : regions.get(timeSec);
  }

  /** Draws the objects that regions mark in this frame, and tracks them from there. */
  async #pointedAt(scene: Scene): Promise<Sighting[]> {
    const shown: Sighting[] = [];
    for (const object of this.#objects) {
      const region = this.#regionAt(object, scene.timeSec);
      if (region === undefined) continue;
      const known = this.#pursuits.find((one) => one.object === object);
      const moment = await momentOf(region, known && (await this.#known(known, scene)), scene);
      if (moment === undefined) continue;
      const { box, mask, score } = moment;
      shown.push({ objectId: object.objectId, mask, box, score });
      this.#pursuits = [...this.#pursuits.filter((one) => one !== known), this.#begun(object, moment)];
    }
    for (const one of shown)
      for (const other of shown) if (overlapTooMuch(one, other)) this.#nested.add(pairOf(one, other));
    return shown;
  }

  /**
   * Begins to follow an object from a frame with a region. Memories that a correction contradicts must not vote any
   * more.
   */
  #begun(object: PointedAt, begun: Moment): Pursuit {
    const { timeSec } = begun.remembered;
    return {
      object,
      memory: new Memory(begun.remembered),
      track: new Track(object.objectId, 0, this.#direction * timeSec, begun.box),
      last: begun,
      lost: false,
      over: false,
      begun,
    };
  }

  /** An object before a correction: the result of following it into the frame. */
  async #known(pursuit: Pursuit, scene: Scene): Promise<Corrected> {
    const [followed] = pursuit.over ? [] : await find([this.#soughtIn(scene, pursuit)], scene, []);
    return { descriptor: pursuit.begun.descriptor, followed };
  }

  /** Remembers an object in a frame. */
  #see(
    pursuit: Pursuit,
    { mask, descriptor, inside, value, box }: Found,
    { frame, timeSec, appearance }: Scene,
  ): void {
    const time = this.#direction * timeSec;
    if (pursuit.lost) pursuit.track = new Track(pursuit.object.objectId, 0, time, box);
    else pursuit.track.observe(time, box);
    pursuit.lost = false;
    pursuit.last = { mask, descriptor };
    const known = glimpse(appearance, windowAbout(box, frame, appearance), inside);
    pursuit.memory.add({ timeSec, sureness: value, known });
  }
}

/** The shift of a box's middle, to the right and down. */
const shiftOf = (from: Corners, to: Corners): [number, number] => [
  (to[0] + to[2] - from[0] - from[2]) / 2,
  (to[1] + to[3] - from[1] - from[3]) / 2,
];

const pairOf = ({ objectId: a }: Claim, { objectId: b }: Claim): string =>
  `${Math.min(a, b)} ${Math.max(a, b)}`;
