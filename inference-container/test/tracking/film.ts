/** A detector's reports of objects whose true boxes are known. */
import type { Corners } from "@segmentation/masks";
import { clipBox } from "../../src/models/box.ts";
import type { TrackerDetection } from "../../src/tracking/tracker.ts";
import type { Random } from "./random.ts";

export const WIDTH = 1920;
export const HEIGHT = 1080;

/** A true object; a greater `depth` is further in front. */
export interface Actor {
  readonly depth: number;
  /** The box at a time in seconds, also outside the picture. */
  readonly at: (timeSec: number) => Corners;
}

export interface Scene {
  readonly seconds: number;
  readonly actors: readonly Actor[];
  /** A screen in front of everything, which is no object. */
  readonly screen?: Corners;
  /** True if two overlapping objects are often reported as one box over both. */
  readonly merging?: boolean;
}

/** A detection and the index of its actor; null if it shows two. */
interface FixtureDetection extends TrackerDetection {
  readonly actor: number | null;
}

export interface Frame {
  readonly timeSec: number;
  readonly detections: readonly FixtureDetection[];
}

const BOX_NOISE = 0.03;
const MISSED = 0.05;
const FAINT = 0.1;

/** A scene's frames at about `fps` per second, at slightly irregular times, each with its detections in any order. */
export function film(scene: Scene, fps: number, random: Random): Frame[] {
  return Array.from({ length: Math.floor(scene.seconds * fps) }, (_, i) => {
    const timeSec = (i + random.between(0, 0.2)) / fps;
    const detections = [...detect(scene, timeSec, random)]
      .map((detection) => ({ detection, place: random.between(0, 1) }))
      .toSorted((a, b) => a.place - b.place);
    return { timeSec, detections: detections.map(({ detection }) => detection) };
  });
}

interface Seen {
  readonly actor: number;
  readonly depth: number;
  readonly box: Corners;
}

function* detect(scene: Scene, timeSec: number, random: Random): Generator<FixtureDetection> {
  let seen: Seen[] = scene.actors.flatMap(({ depth, at }, actor) => {
    const whole = at(timeSec);
    const box = clipBox(whole, WIDTH, HEIGHT);
    // A detector misses an object that is mostly cut off.
    return box !== undefined && area(box) >= area(whole) / 4 ? [{ actor, depth, box }] : [];
  });
  if (scene.merging === true) {
    const [a, b] = seen;
    if (a !== undefined && b !== undefined && share(a.box, b.box) > 0.35 && random.chance(0.6)) {
      yield* report(null, hull(a.box, b.box), false, random);
      seen = seen.slice(2);
    }
  }
  for (const { actor, depth, box } of seen) {
    const before = seen.filter((other) => other.depth > depth).map((other) => other.box);
    if (scene.screen !== undefined) before.push(scene.screen);
    const hidden = Math.max(0, ...before.map((other) => share(box, other)));
    if (hidden > 0.65 || random.chance(MISSED)) continue;
    yield* report(actor, box, random.chance(hidden > 0.35 ? 0.5 : FAINT), random);
  }
}

function* report(
  actor: number | null,
  [x1, y1, x2, y2]: Corners,
  faint: boolean,
  random: Random,
): Generator<FixtureDetection> {
  const shifted = (edge: number, side: number): number => edge + BOX_NOISE * side * random.normal();
  const [width, height] = [x2 - x1, y2 - y1];
  const noisy: Corners = [shifted(x1, width), shifted(y1, height), shifted(x2, width), shifted(y2, height)];
  const box = clipBox(noisy, WIDTH, HEIGHT);
  const score = faint ? random.between(0.1, 0.3) : random.between(0.4, 0.9);
  if (box !== undefined) yield { promptIndex: 0, score, box, faint, actor };
}

/** The share of a box that lies behind another. */
function share(box: Corners, other: Corners): number {
  const width = Math.min(box[2], other[2]) - Math.max(box[0], other[0]);
  const height = Math.min(box[3], other[3]) - Math.max(box[1], other[1]);
  return (Math.max(0, width) * Math.max(0, height)) / area(box);
}

function hull(a: Corners, b: Corners): Corners {
  return [Math.min(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[2], b[2]), Math.max(a[3], b[3])];
}

function area([x1, y1, x2, y2]: Corners): number {
  return (x2 - x1) * (y2 - y1);
}
